import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'

const KILLED =
  'The process was killed by SIGKILL, which it cannot handle: by somebody, or by the system for lack of memory (see `dmesg`).'

/** Settings come only from the environment, nothing is downloaded at run time, and Bun ends with the process that started it. */
export const bunFlags = ['--no-env-file', '--no-install', '--no-orphans']

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2']

/**
 * Starts a process, forwards these signals to it, and resolves to its exit code (128 + n for a signal). With `killAfterMs`
 * the process is killed that long after the first signal: a process with a blocked event loop handles no signal.
 */
export async function runChild(command, args, { killAfterMs, ...options } = {}) {
  let killing
  let word = KILLED
  const tell = (signal) => {
    child.kill(signal)
    // SIGUSR2 restarts the workers of a server, and ends nothing.
    if (signal !== 'SIGUSR2' && killAfterMs !== undefined) killing ??= setTimeout(killNow, killAfterMs, signal)
  }
  const killNow = (signal) => {
    word = `The server has not ended ${killAfterMs / 1000} s after ${signal}: it is killed.`
    child.kill('SIGKILL')
  }
  const last = new Map()
  // One Ctrl-C arrives twice, from the terminal and from npm, so a repeat within a second is ignored.
  const handOn = (signal) => {
    const now = performance.now()
    if (now - (last.get(signal) ?? Number.NEGATIVE_INFINITY) < 1000) return
    last.set(signal, now)
    tell(signal)
  }
  // Before the start: a signal that ended this process alone would leave the child behind.
  for (const signal of signals) process.on(signal, handOn)
  // In its own process group: a terminal's Ctrl-C then reaches it only through this process.
  const child = spawn(command, args, { detached: process.platform !== 'win32', stdio: 'inherit', ...options })
  const watch = process.env.npm_lifecycle_event ? whenParentIsGone(() => tell('SIGTERM')) : undefined
  const [code, signal] = await once(child, 'close')
  // Without a word, npm would show only its prompt again.
  if (signal === 'SIGKILL') console.error(word)
  clearInterval(watch)
  clearTimeout(killing)
  for (const name of signals) process.off(name, handOn)
  return code ?? 128 + constants.signals[signal]
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
