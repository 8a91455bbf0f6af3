// Which test files share a process: in each new one the service is loaded, the schemas of answers are compiled and all code
// is slow at first, which takes longer than most of these files.
import { reaches } from './test-files.mjs'

const mostFiles = 10
// Child processes, what is measured of the own process, and clocks and functions that are replaced for all of it.
const needsOwnProcess =
  /node:child_process|Bun\.(spawn|\$)|process\.(on|once|kill|cpuUsage|memoryUsage)\b|setSystemTime|spyOn|mock\.module|\/\/ A process of its own: /

/** Proofs and files that need it are alone in their batch. The others are dealt like cards, because the first ones take longest. */
export function batchesOf(files) {
  const isAlone = (file) => file.includes('.proof.') || reaches(file, needsOwnProcess)
  const shared = files.filter((file) => !isAlone(file))
  const count = Math.ceil(shared.length / mostFiles)
  const dealt = Array.from({ length: count }, (_, at) => shared.filter((__, place) => place % count === at))
  return [...files.filter(isAlone).map((file) => [file]), ...dealt]
}
