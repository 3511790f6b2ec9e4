export default {
  turbopack: { root: import.meta.dirname },
  outputFileTracingRoot: import.meta.dirname,
  rewrites: () => [{ source: '/session/:name', destination: `${new URL(process.env.SESSION).origin}/session/:name` }],
};
