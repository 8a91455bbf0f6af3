import { spawn } from 'node:child_process'
import { constants } from 'node:os'

const KILLED =
  'The process was killed by SIGKILL, which it cannot handle: by somebody, or by the system for lack of memory (see `dmesg`).'

/** Settings come only from the environment, nothing is downloaded at run time, and Bun ends with the process that started it. */
export const bunFlags = ['--no-env-file', '--no-install', '--no-orphans']

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP']
// SIGUSR2 restarts the workers of a server, and ends nothing.
const signals = [...endingSignals, 'SIGUSR2']

/**
 * Starts a process, forwards these signals to it, and resolves to its exit code (128 + n for a signal). With `killAfterMs`
 * the process is killed that long after the first signal: a process with a blocked event loop handles no signal.
 */
export function runChild(command, args, { killAfterMs, ...options } = {}) {
  let killing
  let isKilledHere = false
  const tell = (signal) => {
    child.kill(signal)
    if (endingSignals.includes(signal) && killAfterMs !== undefined)
      killing ??= setTimeout(killNow, killAfterMs, signal)
  }
  const killNow = (signal) => {
    console.error(`The server has not ended ${killAfterMs / 1000} s after ${signal}: it is killed.`)
    isKilledHere = true
    child.kill('SIGKILL')
  }
  const handOn = onceASecond(tell)
  // Before the start: a signal that ended this process alone would leave the child behind.
  for (const signal of signals) process.on(signal, handOn)
  // In its own process group: a terminal's Ctrl-C then reaches it only through this process.
  const child = spawn(command, args, { detached: process.platform !== 'win32', ...options })
  const watch = process.env.npm_lifecycle_event ? whenParentIsGone(() => tell('SIGTERM')) : undefined
  const exitCode = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      // Without a word, npm would show only its prompt again.
      if (signal === 'SIGKILL' && !isKilledHere) console.error(KILLED)
      clearInterval(watch)
      clearTimeout(killing)
      for (const name of signals) process.off(name, handOn)
      resolve(code ?? 128 + constants.signals[signal])
    })
  })
  return { child, exitCode }
}

// One Ctrl-C arrives twice, from the terminal and from npm, so a repeat within a second is ignored.
function onceASecond(handle) {
  const last = new Map()
  return (signal) => {
    const now = performance.now()
    if (now - (last.get(signal) ?? Number.NEGATIVE_INFINITY) < 1000) return
    last.set(signal, now)
    handle(signal)
  }
}

// npm killed with SIGKILL forwards nothing. (`exec` in package.json makes npm our parent instead of a shell.)
function whenParentIsGone(handle) {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    handle()
  }, 500)
  return timer.unref()
}
