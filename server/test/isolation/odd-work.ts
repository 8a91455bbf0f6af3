import { serveJobs } from '../../src/base/isolation/job.ts'

/** Jobs that harm or inspect the process that runs them. */
export type OddJob =
  | { readonly do: 'answer'; readonly value: unknown }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'read environment' | 'name its folder' }
  | { readonly do: 'throw' | 'loop' | 'sort' | 'match' | 'allocate' | 'exit' | 'abort' | 'print' | 'print without end' }

const deeds = {
  throw() {
    throw Object.assign(new RangeError('too far'), { code: 'ERR_FAR' })
  },
  loop() {
    for (;;);
  },
  sort: () => Array.from({ length: 3e7 }, (_, i) => (i * 7_919) % 1_000_003).sort((a, b) => a - b).length,
  /** The engine gives up on one such match after a while, on a fast machine below the limit of the test. */
  match() {
    for (;;) /^(a+)+$/.test(`${'a'.repeat(60)}b`)
  },
  async allocate() {
    const kept: Uint8Array[] = []
    for (;;) {
      kept.push(new Uint8Array(8 * 1024 ** 2).fill(1))
      // Real time: slow enough to be measured while it grows.
      await Bun.sleep(1)
    }
  },
  exit: () => process.exit(3),
  abort: () => process.kill(process.pid, 'SIGSEGV'),
  print: () => process.stdout.write('{"id": "none of yours"}\n'),
  async 'print without end'() {
    for (;;) {
      process.stdout.write('a'.repeat(1024 ** 2))
      // Real time: lets the output leave.
      await Bun.sleep(1)
    }
  },
}

await serveJobs((job: OddJob) => {
  if (job.do === 'answer') return job.value
  // Real time: a job that takes its time is the subject.
  if (job.do === 'wait') return Bun.sleep(job.ms)
  if (job.do === 'read environment') return { ...process.env }
  if (job.do === 'name its folder') return process.cwd()
  return deeds[job.do]()
})
