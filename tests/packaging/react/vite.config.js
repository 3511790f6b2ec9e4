export default {
  logLevel: 'warn',
  ssr: { noExternal: true },
  preview: { proxy: { '/session': { target: new URL(process.env.SESSION).origin, ws: true } } },
};
