import { runTool } from './run-tool.mjs'

await runTool('torture.ts')
