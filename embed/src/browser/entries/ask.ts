// `/embed/parts/ask.js`: where a press on an option only chooses it, the button that casts the vote.
// biome-ignore lint/performance/noBarrelFile: an entry of the bundler, which nothing here imports at run time
export { ask } from '../result/ask.ts'
