// Every toolchain in which the packed package is built in production mode and run: a row for each way. A row's folder
// pins versions, and `run` returns the folder of what a page or a server would load; `needs` is what has to be set there, as docs/toolchains.md tells. `isQuick` rows are part of `npm test`.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { node } from '../../scripts/places.mjs';
import { serve } from './page.mjs';
import { writeSnippets } from './snippets.mjs';

/** What shared/program.js tells in every toolchain. */
const tracked = '{"notes":["a","b"],"done":1} 2 PATH_NOT_FOUND';
const live = `${tracked} live {"notes":[],"answer":""}`;
/** Where the platform has no WebSocket. */
const waiting = `${tracked} connecting undefined`;

function demand(text, expected) {
  if (text.trim() !== expected) throw new Error(`it says ${JSON.stringify(text.trim())}, and not ${JSON.stringify(expected)}`);
}

const at = (url, session) => `${url}?session=${encodeURIComponent(session)}`;
const local = /http:\/\/(localhost|127\.0\.0\.1):\d+/;

async function demandOfPage({ dir }, { pages, session }, folder, query = '', headers = {}) {
  const { url, stop } = await serve(join(dir, folder), headers);
  try {
    const { text } = await pages.show(at(`${url}/`, session) + query);
    demand(text, live);
  } finally {
    stop();
  }
}

/** Builds a page into `web/`, and shows it. */
const inPage = (build) => async (place, world) => {
  await build(place);
  copyFileSync(join(place.dir, 'index.html'), join(place.dir, 'web/index.html'));
  await demandOfPage(place, world, 'web');
  return 'web';
};

/** Demands that a bundle has each module of the core at most once, and not the one that the program doesn't use. */
function demandOnce(place, file) {
  const bundle = place.read(file);
  for (const [name, most] of [['page', 1], ['client', 1], ['merge', 0]]) {
    const inline = place.read(`node_modules/patchwire/dist/wasm/${name}.inline.js`);
    const piece = inline.slice(inline.length >> 1).slice(0, 2_000);
    if (bundle.split(piece).length - 1 > most) throw new Error(`the bundle has the module ${name} more than ${most} times`);
  }
}

/** Builds for a server into `node/`, and runs what came out where there is nothing else. */
const onServer = (main, build) => async (place) => {
  await build(place);
  demand(await place.alone('node', main), live);
  return 'node';
};

async function withServer(place, [command, ...args], use, env) {
  const { url, stop } = await place.serve(command, args, local, env);
  try {
    return await use(url);
  } finally {
    stop();
  }
}

const nodes = ['18', '20', '22', '24'].flatMap((version) => {
  const folder = `node-${version}`;
  const expected = version < '22' ? waiting : live;
  const required = (load) => `(async () => { const { program } = ${load}; console.log(await program(process.env.SESSION)); })();`;
  return [
    { name: `Node ${version}, import`, folder, isQuick: version === '24', run: async (place) => demand(await place.run('node', ['main.js']), expected) },
    {
      name: `Node ${version}, require`,
      folder,
      isQuick: version === '24',
      ...(version === '18' && { needs: '`await import()`' }),
      async run(place) {
        // program.js is an ES module as the package is.
        place.write('required.cjs', required('require("./program.js")'));
        if (version !== '18') return demand(await place.run('node', ['required.cjs']), expected);
        const refused = await place.run('node', ['required.cjs']).then(() => '', String);
        if (!refused.includes('ERR_REQUIRE_ESM')) throw new Error('require works in Node 18 now: say so in docs/toolchains.md');
        place.write('required.cjs', required('await import("./program.js")'));
        demand(await place.run('node', ['required.cjs']), expected);
      },
    },
  ];
});

const typescripts = ['typescript-5.4', 'typescript'].flatMap((folder) =>
  ['bundler', 'node16', 'nodenext'].flatMap((moduleResolution) =>
    [['es2022'], ['es2022', 'dom']].map((lib) => ({
      name: `TypeScript${folder.slice(10).replace('-', ' ')}, ${moduleResolution}, ${lib.length > 1 ? 'with' : 'without'} DOM`,
      folder,
      also: 'typescript',
      isQuick: true,
      async run(place) {
        const module = moduleResolution === 'bundler' ? 'esnext' : moduleResolution;
        const options = { noEmit: true, strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, target: 'es2022', lib, types: [], module, moduleResolution, skipLibCheck: false };
        place.write('tsconfig.json', JSON.stringify({ compilerOptions: options, files: ['use.mts'] }));
        await place.run('tsc', ['-p', '.']);
      },
    })),
  ),
);

const nexts = ['turbopack', 'webpack'].flatMap((bundler) => {
  const row = (name, path, expected, { command = 'start', group = bundler, prepare = undefined } = {}) => ({
    name: `Next.js, ${name}, ${bundler}`,
    folder: 'next',
    group,
    prepare,
    run: (place, { pages, session }) =>
      withServer(place, ['next', ...command.split(' '), '--port', '0', '--hostname', '127.0.0.1'], async (url) => {
        if (path === '/api') return demand(await (await fetch(url + path)).text(), expected);
        const { text, errors } = await pages.show(at(url + path, session), (text) => text === expected);
        if (errors.length > 0) throw new Error(errors.join('; '));
        demand(text, expected);
      }),
  });
  const built = { prepare: (place) => place.run('next', ['build', `--${bundler}`]) };
  return [
    row('static page', '/', tracked, built),
    row('dynamic page', '/dynamic', tracked, built),
    row('route handler', '/api', live, built),
    row('client component', '/client', live, built),
    row('dev', '/dynamic', tracked, { command: `dev --${bundler}`, group: `${bundler}, dev` }),
  ];
});

const vitests = ['node', 'jsdom'].map((environment) => ({
  name: `Vitest, ${environment}`,
  folder: 'vitest',
  async run(place) {
    await place.run('vitest', ['run', '--globals', '--environment', environment]);
    demand(place.read('output.txt'), live);
  },
}));

const jestWithModules = {
  name: 'Jest, ES modules',
  folder: 'jest',
  needs: '`--experimental-vm-modules`',
  async run(place) {
    await place.run('jest', ['--config', '{"transform":{}}'], { env: { NODE_OPTIONS: '--experimental-vm-modules' } });
    demand(place.read('output.txt'), live);
  },
};

const jests = ['node', 'jsdom'].map((environment) => ({
  name: `Jest, CommonJS, ${environment}`,
  folder: 'jest',
  needs: environment === 'node' ? '`transformIgnorePatterns`' : '`transformIgnorePatterns`, and an environment with `TextDecoder`',
  async run(place) {
    writeSnippets('docs/jest.md', place.dir);
    if (environment === 'jsdom') {
      const refused = await place.run('jest', ['--env', 'jsdom']).then(() => '', String);
      if (!refused.includes('there is no TextEncoder, no TextDecoder, no structuredClone here')) throw new Error(`Jest's jsdom isn't refused in one line: ${refused}`);
    }
    await place.run('jest', ['--env', environment === 'node' ? 'node' : './jsdom.cjs']);
    demand(place.read('output.txt'), live);
  },
}));

/** The example of docs/react.md: rendered by a server, taken over by a page, and changed. In development React watches out for mistakes. */
const reacts = [['react', 'production'], ['react', 'development'], ['react-18', 'production'], ['react-18', 'development']].map(([folder, mode]) => ({
  name: `React, server rendering, hydration and StrictMode, ${mode}`,
  folder,
  also: 'react',
  isQuick: folder === 'react',
  async run(place, { pages, session }) {
    writeSnippets('docs/react.md', place.dir);
    const { pathname } = new URL(session);
    place.write('client.js', place.read('client.js').replace('/session/demo', pathname));
    // Beside the example what needs no hooks of ours, a component with a client of its own, and a page that takes over when the
    // state has long been there.
    const late = 'if (location.search) await new Promise((live) => client.subscribe(() => client.status === "live" && live()));\n';
    const imports = 'import { client } from "./client.js";\nimport { Line } from "./Line.jsx";\nimport { Session } from "./Session.jsx";\n';
    const beside = `<Notes /><Line /><Session id="${pathname.replace('/session/', '')}" />`;
    place.write('page.jsx', imports + place.read('page.jsx').replace('<Notes />', beside).replace('hydrateRoot(', `${late}hydrateRoot(`));
    const env = { NODE_ENV: mode };
    await place.run('vite', ['build', '--mode', mode], { env });
    await place.run('vite', ['build', '--mode', mode, '--ssr', 'main.jsx', '--outDir', 'server'], { env });
    const { notes, line } = JSON.parse(await place.alone('server', 'main.js'));
    demand(notes + line, '<main><p>connecting</p><ul aria-label="0 notes"></ul></main><p>connecting: nothing yet</p><p>a session, connecting: 0</p>');
    place.write('dist/index.html', place.read('dist/index.html').replace('<!--app-->', notes + line));
    await withServer(place, ['vite', 'preview', '--port', '0', '--host', '127.0.0.1', '--logLevel', 'info'], async (url) => {
      const shows = (note) => `<main><p>live</p><ul aria-label="${note.length} notes">${note.map((text) => `<li>${text}</li>`).join('')}</ul></main><p>live: </p><p>a session, live: ${note.length}</p>`;
      const follow = async (reaches) => {
        await reaches('#root', shows([]));
        await fetch(session, { method: 'POST', body: 'a note' });
        await reaches('#root', shows(['a note']));
      };
      const { errors } = await pages.showWhile(`${url}/`, follow);
      const later = await pages.showWhile(`${url}/?late`, (reaches) => reaches('#root', shows(['a note'])));
      if (errors.length + later.errors.length > 0) throw new Error([...errors, ...later.errors].join('; '));
    });
  },
}));

/** The second example of docs/react.md: what the server rendered is taken over as it is, and then patched. */
const rendered = ['production', 'development'].map((mode) => ({
  name: `React, a state that the server rendered, ${mode}`,
  folder: 'react',
  isQuick: true,
  async run(place, { pages, session }) {
    writeSnippets('docs/react.md', place.dir);
    // A component that has the client itself: React makes it twice in development.
    const component = '<StrictMode><SessionBoard url="/session/demo" snapshot={snapshot} /></StrictMode>';
    if (mode === 'development') place.write('board-page.jsx', `import { StrictMode } from "react";\nimport { SessionBoard } from "./SessionBoard.jsx";\n${place.read('board-page.jsx').replace('<Board client={client} />', component)}`);
    for (const file of ['board-page.jsx', 'board-server.jsx']) place.write(file, place.read(file).replaceAll('/session/demo', new URL(session).pathname));
    place.write('board-main.jsx', 'import { renderBoard } from "./board-server.jsx";\nconsole.log(await renderBoard({ fetch: () => fetch(process.env.SESSION) }));\n');
    place.write('index.html', place.read('index.html').replace('<div id="root"><!--app--></div>', '<!--app-->').replace('page.jsx', 'board-page.jsx'));
    const env = { NODE_ENV: mode };
    await place.run('vite', ['build', '--mode', mode], { env });
    await place.run('vite', ['build', '--mode', mode, '--ssr', 'board-main.jsx', '--outDir', 'server'], { env });
    const add = (body) => fetch(session, { method: 'POST', body });
    await add('a <note>');
    const html = await place.alone('server', 'board-main.js');
    demand(/^<div id="root">(.*?)<\/div>/.exec(html)?.[1] ?? html, '<ol><li>a &lt;note&gt;</li></ol>');
    place.write('dist/index.html', place.read('dist/index.html').replace('<!--app-->', () => html));
    await add('another');
    await withServer(place, ['vite', 'preview', '--port', '0', '--host', '127.0.0.1', '--logLevel', 'info'], async (url) => {
      const { errors } = await pages.showWhile(`${url}/`, (reaches) => reaches('#root', '<ol><li>a &lt;note&gt;</li><li>another</li></ol>'));
      if (errors.length > 0) throw new Error(errors.join('; '));
    });
  },
}));

/** Compiles what workers and pages under a policy run. */
const bundle = (...entries) => (place) =>
  place.run('esbuild', [...entries, '--bundle', '--minify', '--format=esm', '--outdir=web']).then(() => copyFileSync(join(place.dir, 'index.html'), join(place.dir, 'web/index.html')));

const inWorker = (name, kind) => ({
  name,
  folder: 'workers',
  isOfBrowser: true,
  isQuick: true,
  async run(place, world) {
    await bundle('page.js', 'worker.js', 'service-worker.js')(place);
    await demandOfPage(place, world, 'web', `&in=${kind}`);
  },
});

const policies = [
  ["script-src 'self' 'wasm-unsafe-eval'", ['a tracker: works', 'ready: works', 'live']],
  ["script-src 'self'", ['a tracker', 'ready', 'connect'].map((what) => `${what}: PatchwireError ENGINE_BLOCKED: WebAssembly may not be compiled here: a page's Content-Security-Policy needs 'wasm-unsafe-eval' in its script-src, see docs/csp.md`).concat('closed')],
].map(([policy, lines]) => ({
  name: `Content Security Policy, \`${policy}\``,
  folder: 'csp',
  isOfBrowser: true,
  isQuick: true,
  ...(lines.includes('closed') && { needs: "`'wasm-unsafe-eval'`; without it a coded error says so" }),
  async run(place, { pages, session }) {
    await bundle('page.js')(place);
    const { url, stop } = await serve(join(place.dir, 'web'), { 'content-security-policy': `default-src 'self'; connect-src *; ${policy}` });
    try {
      demand((await pages.show(at(`${url}/`, session))).text, lines.join('\n'));
    } finally {
      stop();
    }
  },
}));

/** A worker that has a Durable Object of its own, which a client follows. */
async function demandOfWorker(place, url) {
  demand(await (await fetch(`${url}/track`)).text(), tracked);
  demand(await place.run(node, ['main.js'], { env: { SESSION: `${url}/session/own` } }), live);
}

export const toolchains = [
  ...nodes,
  ...typescripts,
  {
    name: 'Vite, build',
    folder: 'vite',
    isQuick: true,
    async run(place, world) {
      await place.run('vite', ['build']);
      await demandOfPage(place, world, 'dist');
      return 'dist';
    },
  },
  {
    name: 'Vite, dev',
    folder: 'vite',
    run: (place, { pages, session }) =>
      withServer(place, ['vite', '--port', '0', '--host', '127.0.0.1', '--logLevel', 'info'], async (url) => demand((await pages.show(at(`${url}/`, session))).text, live)),
  },
  { name: 'Vite, SSR', folder: 'vite', isQuick: true, run: onServer('main.js', (place) => place.run('vite', ['build', '--ssr', 'main.js', '--outDir', 'node'])) },
  { name: 'webpack, web', folder: 'webpack', run: inPage((place) => place.run('webpack', ['--config-name', 'web'])) },
  { name: 'webpack, node', folder: 'webpack', run: onServer('main.cjs', (place) => place.run('webpack', ['--config-name', 'node'])) },
  { name: 'esbuild, web', folder: 'esbuild', isQuick: true, run: inPage((place) => place.run('esbuild', ['page.js', '--bundle', '--minify', '--format=esm', '--outfile=web/page.js'])) },
  { name: 'esbuild, node', folder: 'esbuild', isQuick: true, run: onServer('main.js', (place) => place.run('esbuild', ['main.js', '--bundle', '--minify', '--platform=node', '--format=esm', '--outfile=node/main.js'])) },
  { name: 'Rollup', folder: 'rollup', isQuick: true, run: inPage((place) => place.run('rollup', ['--config'])) },
  { name: 'Rspack', folder: 'rspack', isQuick: true, run: inPage((place) => place.run('rspack', ['build'])) },
  {
    name: 'Parcel',
    folder: 'parcel',
    needs: '`packageExports`',
    async run(place, world) {
      // Parcel reads the package.json beside the outermost lock file up to the root of a repository.
      place.write('package-lock.json', '{}');
      await place.run('parcel', ['build', 'index.html', '--dist-dir', 'web', '--no-cache', '--no-source-maps']);
      await demandOfPage(place, world, 'web');
      return 'web';
    },
  },
  {
    name: 'Metro, bundle for the web',
    folder: 'metro',
    // It runs in Node: React Native's engine has no WebAssembly.
    run: onServer('main.cjs', (place) => {
      mkdirSync(join(place.dir, 'node'));
      return place.run('metro', ['build', 'main.js', '--out', 'node/main.cjs', '--config', 'metro.config.cjs', '--dev', 'false', '--minify', 'true', '--platform', 'web', '--reset-cache']);
    }),
  },
  ...nexts,
  {
    name: 'wrangler',
    folder: 'wrangler',
    async run(place) {
      await place.run('wrangler', ['deploy', '--dry-run', '--minify', '--outdir', 'out']);
      await withServer(place, ['wrangler', 'dev', '--port', '0', '--ip', '127.0.0.1', '--inspector-port', '0'], (url) => demandOfWorker(place, url));
      return 'out';
    },
  },
  {
    name: 'Cloudflare Vite plugin',
    folder: 'cloudflare-vite',
    also: 'wrangler',
    async run(place) {
      await place.run('vite', ['build']);
      await withServer(place, ['vite', 'preview', '--port', '0', '--host', '127.0.0.1'], (url) => demandOfWorker(place, url));
      return 'dist/app';
    },
  },
  {
    name: 'Agents SDK',
    folder: 'agents',
    isQuick: true,
    async run(place) {
      writeSnippets('docs/live.md', place.dir);
      await place.run('tsc', ['-p', '.']);
      await withServer(place, ['wrangler', 'dev', '--port', '0', '--ip', '127.0.0.1', '--inspector-port', '0'], async (url) =>
        demand(await place.run(node, ['main.js'], { env: { URL: url } }), '{"notes":["a","b","c"]} 2 1 0'),
      );
    },
  },
  { name: 'Deno, run', folder: 'deno', run: async (place) => demand(await place.run('deno', ['run', '-A', 'main.js']), live) },
  { name: 'Bun, run', folder: 'bun', run: async (place) => demand(await place.run('bun', ['main.js']), live) },
  {
    name: 'Bun, build',
    folder: 'bun',
    async run(place) {
      await place.run('bun', ['build', 'main.js', '--target', 'bun', '--minify', '--outdir', 'node']);
      demandOnce(place, 'node/main.js');
      demand(await place.alone('node', 'main.js', join(place.dir, 'node_modules/.bin/bun')), live);
      return 'node';
    },
  },
  {
    name: 'Bun, compile',
    folder: 'bun',
    async run(place) {
      await place.run('bun', ['build', 'main.js', '--compile', '--outfile', 'out/app']);
      demand(await place.alone('out', undefined, './app'), live);
    },
  },
  {
    name: 'Bun, web',
    folder: 'bun',
    run: inPage(async (place) => {
      await place.run('bun', ['build', 'page.js', '--target', 'browser', '--minify', '--outdir', 'web']);
      demandOnce(place, 'web/page.js');
    }),
  },
  ...vitests,
  ...jests,
  jestWithModules,
  ...reacts,
  ...rendered,
  inWorker('web worker', 'worker'),
  inWorker('service worker', 'service-worker'),
  ...policies,
  {
    name: 'attw',
    folder: 'publishing',
    isQuick: true,
    // The package is of ES modules alone, and its entries are found by `exports`.
    run: (place, { tarball }) => place.run('attw', [tarball, '--profile', 'esm-only', '--no-emoji']).then(() => {}),
  },
  { name: 'publint', folder: 'publishing', package: 'publint', isQuick: true, run: (place, { tarball }) => place.run('publint', ['run', tarball, '--strict', '--pack', 'false']).then(() => {}) },
];
