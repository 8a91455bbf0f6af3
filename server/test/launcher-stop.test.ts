import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'

// Processes take their time when the machine is busy.
setDefaultTimeout(60_000)

const root = new URL('../..', import.meta.url).pathname
const launcher = (program: string, options: string, before = '') => `
  ${before}
  const { runChild } = await import(${JSON.stringify(join(root, 'scripts/child.mjs'))})
  const options = { stdio: 'inherit', ${options} }
  process.exit(await runChild(${JSON.stringify(process.execPath)}, ['-e', ${JSON.stringify(program)}], options))`

/** Sends SIGTERM once the program has said that it runs. */
async function endOf(program: string, options: string, before = '') {
  const running = Bun.spawn(['node', '--input-type=module', '-e', launcher(program, options, before)], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const reader = running.stdout.getReader()
  await reader.read()
  reader.releaseLock()
  running.kill('SIGTERM')
  const [code, stderr] = await Promise.all([running.exited, running.stderr.text()])
  return { code, stderr }
}

const SIGKILLED = 128 + 9

test('a server whose event loop is blocked is killed some time after SIGTERM, and the launcher says so', async () => {
  // Real time: the time after which the launcher kills is the subject.
  const blocked = `process.on('SIGTERM', () => {}); console.log(process.pid); setTimeout(() => { for (const end = Date.now() + 30_000; Date.now() < end; ); })`
  const { code, stderr } = await endOf(blocked, 'killAfterMs: 500')
  expect([code, stderr]).toEqual([SIGKILLED, 'The server has not ended 0.5 s after SIGTERM: it is killed.\n'])
})

test('a server that somebody kills leaves a word', async () => {
  const killed = `process.on('SIGTERM', () => process.kill(process.pid, 'SIGKILL')); console.log('here'); setInterval(() => {}, 1000)`
  const { code, stderr } = await endOf(killed, 'killAfterMs: 10000')
  expect([code, stderr]).toEqual([
    SIGKILLED,
    expect.stringMatching(/^The process was killed by SIGKILL, .+ lack of memory .+\n$/),
  ])
})

const obedient = `process.on('SIGTERM', () => process.exit(0)); console.log('here'); setInterval(() => {}, 1000)`

test('a server that ends in time is not killed', async () => {
  expect(await endOf(obedient, 'killAfterMs: 10000')).toEqual({ code: 0, stderr: '' })
})

/** The launcher gets no processor time right after it has started a process. */
const SLOW_SPAWN = `
  import childProcess from 'node:child_process'
  import { syncBuiltinESMExports } from 'node:module'
  const { spawn } = childProcess
  childProcess.spawn = (...given) => {
    const child = spawn(...given)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
    return child
  }
  syncBuiltinESMExports()`

test('a signal in the moment of its start reaches the server', async () => {
  expect(await endOf(obedient, 'killAfterMs: 10000', SLOW_SPAWN)).toEqual({ code: 0, stderr: '' })
})
