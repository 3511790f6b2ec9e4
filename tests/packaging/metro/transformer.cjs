const { transformSync } = require('@babel/core');
const preset = require('@react-native/babel-preset');

/** What React Native's own does, with nothing but its preset. */
exports.transform = ({ src, filename, options }) =>
  transformSync(src, {
    filename,
    ast: true,
    code: false,
    babelrc: false,
    configFile: false,
    sourceType: 'unambiguous',
    caller: { name: 'metro', bundler: 'metro', platform: options.platform },
    presets: [[preset, {}]],
  });
