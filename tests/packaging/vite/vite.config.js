// What a server runs is bundled whole: by default Vite leaves packages to Node.
export default { logLevel: 'warn', ssr: { noExternal: true } };
