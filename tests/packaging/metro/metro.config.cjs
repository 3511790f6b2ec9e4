module.exports = { projectRoot: __dirname, watchFolders: [], transformer: { babelTransformerPath: require.resolve('./transformer.cjs') } };
