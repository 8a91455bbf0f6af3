import { runTool } from './run-tool.mjs'

await runTool('torture/torture.ts')
