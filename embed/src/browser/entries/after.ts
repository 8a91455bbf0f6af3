// `/embed/parts/after.js`: what follows a vote, or a message of a frame.
// biome-ignore lint/performance/noBarrelFile: an entry of the bundler, which nothing here imports at run time
export { hearFrame } from '../host/hear-frame.ts'
export { lead } from '../result/after-vote.ts'
export { playResult } from '../result/play-result.ts'
export { sayResult } from '../result/say-result.ts'
export { keepMemory } from '../votes/keep-memory.ts'
export { followTallies } from '../votes/live-tallies.ts'
