// `/embed/parts/lists.js`: loaded by pages that hold a campaign or a feed.
// biome-ignore lint/performance/noBarrelFile: an entry of the bundler, which nothing here imports at run time
export { CampaignSteps } from './lists/campaign-steps.ts'
export { FeedList } from './lists/feed-list.ts'
