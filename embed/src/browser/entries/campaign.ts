// `/embed/parts/campaign.js`: loaded by pages that hold a campaign.
// biome-ignore lint/performance/noBarrelFile: an entry of the bundler, which nothing here imports at run time
export { CampaignSteps as Polls } from '../lists/campaign-steps.ts'
