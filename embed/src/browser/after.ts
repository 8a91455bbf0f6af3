// `/embed/parts/after.js`: what follows a vote, or a message of a frame.
// biome-ignore lint/performance/noBarrelFile: an entry of the bundler, which nothing here imports at run time
export { hearFrame } from './hear-frame.ts'
export { lead } from './result/after-vote.ts'
export { countUp } from './result/count-up.ts'
export { keepMemory } from './votes/keep-memory.ts'
export { followTallies } from './votes/live-tallies.ts'
