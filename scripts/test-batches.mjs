// Which test files share a process: in each new one the service is loaded, the schemas of answers are compiled and all code
// is slow at first, which takes a second of processor time, longer than most of these files.
import { reaches } from './test-files.mjs'

const mostFiles = 20
// They take longer, and a batch that ends last must not leave a core idle for long.
const mostProofs = 5
// Matches a file that measures its own process, handles its signals, mounts a disk, or replaces a clock or a function for all of
// it. A file that only starts other processes can share one.
const needsOwnProcess =
  /process\.(on|once|cpuUsage|memoryUsage)\b|\/proc\/self\b|setSystemTime|spyOn|mock\.module|\/small-disk\.ts'|\/\/ A process of its own: /

/** Proofs of less than 15 seconds. Others are alone, so that the last processes of a run end at the same time. */
const shortProofs = [
  'bench/proof/custom-css-in-browser.proof.ts',
  'bench/proof/random-css-in-browser.proof.ts',
  'sdk/test/examples.proof.ts',
  'server/test/analytics-guide.proof.ts',
  'server/test/brand-archive.proof.ts',
  'server/test/campaign-guide.proof.ts',
  'server/test/campaign-races.proof.ts',
  'server/test/console-people-in-browser.proof.ts',
  'server/test/console-toasts-in-browser.proof.ts',
  'server/test/database-away.proof.ts',
  'server/test/hostile-pictures.proof.ts',
  'server/test/idempotency-guide.proof.ts',
  'server/test/killed-brand-delete.proof.ts',
  'server/test/native-guide.proof.ts',
  'server/test/pasted-guides.proof.ts',
  'server/test/pgbouncer.proof.ts',
  'server/test/pictures-guide.proof.ts',
  'server/test/polls-guide.proof.ts',
  'server/test/releases.proof.ts',
  'server/test/servers-with-s3.proof.ts',
  'server/test/several-servers.proof.ts',
  'server/test/stop-under-votes.proof.ts',
  'server/test/theming-guide.proof.ts',
  'server/test/token-races.proof.ts',
  'server/test/tokens-guide.proof.ts',
]

/** A file that needs a process of its own, or a long proof, is a batch of one. */
export function batchesOf(files) {
  const isProof = (file) => file.includes('.proof.')
  const needsOwnBatch = (file) => (isProof(file) && !shortProofs.includes(file)) || reaches(file, needsOwnProcess)
  const shared = files.filter((file) => !needsOwnBatch(file))
  return [
    ...files.filter(needsOwnBatch).map((file) => [file]),
    ...deal(shared.filter(isProof), mostProofs),
    ...deal(
      shared.filter((file) => !isProof(file)),
      mostFiles,
    ),
  ]
}

/** Deals files out like cards, so that the slow ones, which come first, are spread over the batches. */
function deal(files, most) {
  const count = Math.ceil(files.length / most)
  return Array.from({ length: count }, (_, at) => files.filter((__, place) => place % count === at))
}
