import { freezeModules } from './frozen-modules.ts'
import { harfbuzzFile } from './harfbuzz-file.ts'

/** How both builds make one file of all modules. */
export const bundleOptions = async () => ({
  entrypoints: [new URL('bundled-main.ts', import.meta.url).pathname],
  target: 'bun' as const,
  // Names of functions and lines stay readable in the log; spaces and comments go.
  minify: { whitespace: true, syntax: true, identifiers: false },
  // An optional part of `pg` that is not installed.
  external: ['pg-native'],
  // CommonJS modules of others would contain the path of this machine.
  define: { TOSSUP_IS_BUNDLED: 'true', __dirname: '"."', __filename: '"tossup"' },
  plugins: [await freezeModules(), harfbuzzFile],
})
