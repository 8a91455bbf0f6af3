import { runTool } from './run-tool.mjs'

await runTool('bench.ts')
