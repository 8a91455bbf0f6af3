// The architecture of the server as failing checks. From bottom to top; nothing imports upward.
export const layers = [
  ['base/'],
  ['config/', 'words/'],
  ['db/', 'events/', 'files/'],
  ['backup/'],
  ['http/'],
  ['features/'],
  ['app/'],
  ['cli/'],
  ['main.ts'],
]

// A feature imports only from those before it.
export const features = [
  'people',
  'uploads',
  'webhooks',
  'brands',
  'codes',
  'polls',
  'votes',
  'log',
  'campaigns',
  'analytics',
  'results',
  'operator',
  'pages',
  'agents',
  'console',
]

const tests = '(\\.test\\.tsx?$|^(server|embed|sdk)/test/)'
const catchAll = '(^|/)(shared|utils?|common|helpers?|managers?|libs?)(/|\\.ts$)'
const engines = ['^bun:sqlite$', '^bun:sql$', '^pg$', '(^|/)node_modules/(@types/)?pg/']

const place = (name) => (name.endsWith('/') ? name : `${name.replace('.', '\\.')}$`)
const inLayers = (chosen) => `^server/src/(${chosen.flat().map(place).join('|')})`
const inFeatures = (names) => `^server/src/features/(${names.join('|')})/`

const layerRules = layers.slice(0, -1).map((layer, index) => ({
  name: `nothing-above-${layer.map((name) => name.replace(/\/|\.ts/, '')).join('-')}`,
  comment: 'A lower layer knows nothing of a higher one.',
  from: { path: inLayers(layer), pathNot: tests },
  to: { path: inLayers(layers.slice(index + 1)) },
}))

const featureRules = features.slice(0, -1).map((name, index) => ({
  name: `feature-order-${name}`,
  comment: 'A feature imports only from features that stand before it; effects the other way go through the outbox.',
  from: { path: inFeatures([name]), pathNot: tests },
  to: { path: inFeatures(features.slice(index + 1)) },
}))

const rules = [
  ...layerRules,
  ...featureRules,
  {
    name: 'no-cycles',
    comment: 'Cycles of type-only imports count too.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'known-place',
    comment: 'Every file of the server stands in a layer named in .dependency-cruiser.mjs.',
    from: { path: '^server/src/', pathNot: [inLayers(layers), tests] },
    to: {},
  },
  {
    name: 'known-feature',
    comment: 'Every feature has its place in the order in .dependency-cruiser.mjs.',
    from: { path: '^server/src/features/', pathNot: [inFeatures(features), '/deps\\.ts$', tests] },
    to: {},
  },
  {
    name: 'deps-holds-types',
    comment: 'deps.ts imports types alone.',
    from: { path: '^server/src/features/deps\\.ts$' },
    to: { dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'only-db-knows-engines',
    comment: 'The SQL engines are known to db/ alone.',
    from: { path: '^server/src/', pathNot: ['^server/src/db/', tests] },
    to: { path: engines },
  },
  {
    name: 'no-catch-all',
    comment: 'Name a folder or file for what it does.',
    from: { path: catchAll, pathNot: 'node_modules' },
    to: {},
  },
  {
    name: 'nothing-from-catch-all',
    comment: 'Name a folder or file for what it does.',
    from: {},
    to: { path: catchAll, pathNot: 'node_modules' },
  },
  {
    name: 'sources-without-tests',
    comment: 'Sources import nothing from tests.',
    from: { path: '^(server|embed|sdk)/src/', pathNot: tests },
    to: { path: tests },
  },
  {
    name: 'server-without-bench',
    comment: 'The benchmark stands on the server and its tests; nothing stands on the benchmark.',
    from: { path: '^server/' },
    to: { path: '^bench/' },
  },
  {
    name: 'embed-alone',
    comment: 'What shows a poll runs in a browser as well: it knows nothing of the server.',
    from: { path: '^embed/src/' },
    to: { path: '^(server|bench)/' },
  },
  {
    name: 'embed-on-sdk',
    comment: 'What runs in a page has the device and the client of the sdk: from its sources, which need nothing else.',
    from: { path: '^embed/src/', pathNot: ['^embed/src/browser/', tests] },
    to: { path: '^sdk/' },
  },
  {
    name: 'console-on-sdk',
    comment: 'The console has of the service what the client library has, and of the embeds how a poll is rendered.',
    from: { path: '^console/src/' },
    to: { path: ['^(server|bench)/', '^sdk/src/(?!index\\.ts)', '^embed/src/browser/'] },
  },
  {
    name: 'nothing-on-console',
    comment: 'The server bundles the console, and imports nothing of it.',
    from: { path: '^(server|bench|embed|sdk)/' },
    to: { path: '^console/' },
  },
  {
    name: 'sdk-alone',
    comment:
      'The client library knows of the service what openapi.json says, and needs nothing but React for its React part. The types of the elements name frameworks that need not be installed.',
    from: { path: '^sdk/src/', pathNot: ['^sdk/src/elements/', tests] },
    to: { pathNot: ['^sdk/src/', '^(react|react/.*)$', '(^|/)node_modules/(@types/)?react/'] },
  },
  {
    name: 'react-apart',
    comment: 'The client library works without React, except for its React part.',
    from: { path: '^sdk/src/', pathNot: ['^sdk/src/(elements|react)/', tests] },
    to: { path: ['^sdk/src/react/', 'react'] },
  },
  {
    name: 'tests-without-tests',
    comment: 'What tests share stands in server/test, in a file that is no test itself.',
    from: {},
    to: { path: '\\.(test|proof)\\.tsx?$' },
  },
  {
    name: 'no-dev-dependency',
    comment: 'What runs in production is a dependency.',
    from: { path: '^(server|embed|sdk|console)/src/', pathNot: ['^sdk/src/elements/', tests] },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'npm-peer'] },
  },
  {
    name: 'declared-dependency',
    comment: 'Every package that is imported stands in package.json.',
    from: {},
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  },
  {
    name: 'resolvable',
    comment: 'Every import leads somewhere.',
    from: {},
    to: { couldNotResolve: true },
  },
]

export default {
  forbidden: rules.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    combinedDependencies: true,
    doNotFollow: { path: 'node_modules' },
    // What was built of them is none of the sources.
    exclude: { path: '^sdk/dist/' },
    builtInModules: { add: ['bun', 'bun:ffi', 'bun:jsc', 'bun:sql', 'bun:sqlite', 'bun:test'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['bun', 'import', 'types', 'default'] },
  },
}
