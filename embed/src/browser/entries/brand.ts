// `/embed/parts/brand.js`: more polls of a brand, in its feed and at the end of a campaign.
// biome-ignore lint/performance/noBarrelFile: an entry of the bundler, which nothing here imports at run time
export { FeedList as Polls } from '../lists/feed-list.ts'
export { farewell } from '../result/farewell.ts'
