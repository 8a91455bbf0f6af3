// `/embed/parts/after.js`: what follows a vote, or a message of a frame.
// biome-ignore lint/performance/noBarrelFile: an entry of the bundler, which nothing here imports at run time
export { lead } from './after-vote.ts'
export { countUp } from './count-up.ts'
export { hearFrame, tellFrames } from './hear-frame.ts'
export { followTallies } from './live-tallies.ts'
