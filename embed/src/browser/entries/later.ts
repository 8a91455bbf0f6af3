// `/embed/parts/later.js`: loaded when the page is idle. Counts views, and sends votes that wait for a network.
// biome-ignore lint/performance/noBarrelFile: an entry of the bundler, which nothing here imports at run time
export { seen } from '../votes/seen.ts'
export { send } from '../votes/send-votes.ts'
