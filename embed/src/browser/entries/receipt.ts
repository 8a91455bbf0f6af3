// `/embed/parts/receipt.js`: after a vote its receipt is kept, and a result leads to the page that counts again.
// biome-ignore lint/performance/noBarrelFile: an entry of the bundler, which nothing here imports at run time
export { keepReceipt, offerCheck } from '../votes/keep-receipt.ts'
