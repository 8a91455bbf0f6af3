// `/embed/parts/code.js`: polls on which only people with a code can vote.
// biome-ignore lint/performance/noBarrelFile: an entry of the bundler, which nothing here imports at run time
export { admit } from '../code/admit.ts'
export { codeOf } from '../code/known-codes.ts'
