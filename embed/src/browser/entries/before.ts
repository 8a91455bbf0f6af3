// `/embed/parts/before.js`: what a poll with a time, or with results to see before a vote, shows until the vote.
// biome-ignore lint/performance/noBarrelFile: an entry of the bundler, which nothing here imports at run time
export { before } from '../result/before-vote.ts'
