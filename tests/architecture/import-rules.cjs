/**
 * Who may import whom: the table in the README as rules for dependency-cruiser. Type-only imports count like any
 * other, and so do those in `.vue` files. `import-rules.test.ts` plants a breach of every rule and sees it caught.
 */
const folder = (name) => `^${name}/`
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })
const CORE = { dependencyTypes: ['core'] }
/** Packages that reach the person's machine, and those that are only there to build and test. */
const RUNTIME_PACKAGE = ['npm', 'npm-optional', 'npm-peer']
const BUILD_PACKAGE = ['npm-dev']
const ANY_PACKAGE = [...RUNTIME_PACKAGE, ...BUILD_PACKAGE, 'npm-no-pkg', 'npm-unknown', 'npm-bundled']
const SOURCES = '^(ipc-contracts|main|workers|renderer)/'
const packages = (...names) => `(^|/)node_modules/(${names.join('|')})(/|$)`

module.exports = {
  forbidden: [
    forbid('resolvable', 'Every import leads to a file or a package.', { path: SOURCES }, { couldNotResolve: true }),
    forbid(
      'declared',
      'Every package that is imported stands in package.json.',
      { path: SOURCES },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    ),
    forbid(
      'no-cycle',
      'Two files that need each other at run time are one file, or three.',
      { path: SOURCES },
      { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    ),
    forbid('not-tests', 'The product does not import its tests.', { path: SOURCES }, { path: folder('tests') }),
    forbid(
      'electron-only-in-electron',
      'Only main/electron imports electron.',
      { path: SOURCES, pathNot: folder('main/electron') },
      { path: ['^electron$', packages('electron')] },
    ),

    forbid(
      'contracts-alone',
      'ipc-contracts/ imports nothing of the product but itself.',
      { path: folder('ipc-contracts') },
      { path: folder('(main|workers|renderer)') },
    ),
    forbid('contracts-no-node', 'ipc-contracts/ runs everywhere, so it uses no module of Node.', { path: folder('ipc-contracts') }, CORE),
    forbid(
      'contracts-only-zod',
      'ipc-contracts/ imports zod, and comlink in wire/ only.',
      { path: folder('ipc-contracts'), pathNot: folder('ipc-contracts/wire') },
      { dependencyTypes: ANY_PACKAGE, pathNot: packages('zod') },
    ),
    forbid(
      'wire-only-zod-and-comlink',
      'ipc-contracts/wire imports zod and comlink.',
      { path: folder('ipc-contracts/wire') },
      { dependencyTypes: ANY_PACKAGE, pathNot: packages('zod', 'comlink') },
    ),

    forbid(
      'main-not-workers',
      'main/ starts workers by path and talks to them through contracts.',
      { path: folder('main') },
      { path: folder('(workers|renderer)') },
    ),
    forbid(
      'main-shells-apart',
      'A folder of main/ imports itself and main/host only.',
      { path: '^main/([^/]+)/', pathNot: folder('main/host') },
      { path: folder('main/[^/]+'), pathNot: ['^main/$1/', folder('main/host')] },
    ),
    forbid(
      'host-alone',
      'main/host imports itself, and what starts the command host.',
      { path: folder('main/host') },
      { path: folder('main/[^/]+'), pathNot: [folder('main/host'), '^main/command-host/launch\\.ts$'] },
    ),
    forbid(
      'main-no-packages',
      'main/ imports no package: ws in main/web, electron in main/electron, build tools in main/build.',
      { path: folder('main'), pathNot: folder('main/(web|electron|build)') },
      { dependencyTypes: ANY_PACKAGE },
    ),
    forbid(
      'web-only-ws',
      'main/web imports a WebSocket server and no other package.',
      { path: folder('main/web') },
      { dependencyTypes: ANY_PACKAGE, pathNot: packages('ws', '@types/ws') },
    ),
    forbid(
      'electron-only-electron',
      'main/electron imports electron and no other package.',
      { path: folder('main/electron') },
      { dependencyTypes: ANY_PACKAGE, pathNot: packages('electron') },
    ),

    forbid(
      'workers-apart',
      'A worker imports itself and workers/shared, never another worker.',
      { path: '^workers/([^/]+)/' },
      { path: folder('workers'), pathNot: ['^workers/$1/', folder('workers/shared')] },
    ),
    forbid(
      'workers-not-main',
      'A worker imports neither main/ nor renderer/.',
      { path: folder('workers') },
      { path: folder('(main|renderer)') },
    ),
    forbid(
      'workers-no-build-packages',
      'What a worker imports is there at run time.',
      { path: folder('workers') },
      { dependencyTypes: BUILD_PACKAGE },
    ),
    forbid(
      'shared-only-zod',
      'workers/shared is loaded by every worker: zod, which the contracts load anyway, and no other package.',
      { path: folder('workers/shared') },
      { dependencyTypes: ANY_PACKAGE, pathNot: packages('zod') },
    ),

    forbid(
      'domain-alone',
      'domain/ imports itself and ipc-contracts/.',
      { path: '^workers/([^/]+)/domain/' },
      { path: SOURCES, pathNot: ['^workers/$1/domain/', folder('ipc-contracts')] },
    ),
    forbid(
      'domain-no-node',
      'domain/ has no files, threads, clock or randomness but what it is given.',
      { path: folder('workers/[^/]+/domain') },
      CORE,
    ),
    forbid('domain-no-packages', 'domain/ imports no package.', { path: folder('workers/[^/]+/domain') }, { dependencyTypes: ANY_PACKAGE }),

    forbid(
      'renderer-not-workers',
      'The page imports ipc-contracts/ only.',
      { path: folder('renderer') },
      { path: folder('(main|workers)') },
    ),
    forbid('renderer-no-node', 'The page runs in a browser.', { path: folder('renderer'), pathNot: '^renderer/vite\\.config\\.ts$' }, CORE),
    forbid(
      'renderer-only-page-packages',
      'Vue and its libraries are bundled, so they stand under devDependencies; packages for Node do not belong in a page.',
      { path: folder('renderer') },
      { dependencyTypes: RUNTIME_PACKAGE, dependencyTypesNot: BUILD_PACKAGE, pathNot: packages('zod') },
    ),
    forbid(
      'renderer-only-stores-use-ipc',
      'Only stores/ talk to the pipeline.',
      { path: folder('renderer'), pathNot: folder('renderer/(stores|ipc)') },
      { path: folder('renderer/ipc') },
    ),
    forbid(
      'renderer-features-apart',
      'A feature does not import another.',
      { path: '^renderer/features/([^/]+)/' },
      { path: folder('renderer/features'), pathNot: '^renderer/features/$1/' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    includeOnly: undefined,
    exclude: { path: '^(out|dist)/' },
    tsPreCompilationDeps: true,
    parser: 'tsc',
    detectProcessBuiltinModuleCalls: true,
    moduleSystems: ['es6', 'cjs'],
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.cjs', '.mjs', '.vue', '.json', '.d.ts'],
      mainFields: ['module', 'main', 'types', 'typings'],
    },
  },
}
