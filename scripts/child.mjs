import { spawn } from 'node:child_process'
import { constants } from 'node:os'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Starts a process, hands signals on to it once each, and resolves to its exit code (128 + n for a signal). */
export function runChild(command, args, options) {
  // A group of its own: a terminal's Ctrl-C then reaches it through us alone.
  const child = spawn(command, args, { detached: process.platform !== 'win32', ...options })
  const handOn = onceASecond((signal) => child.kill(signal))
  for (const signal of signals) process.on(signal, handOn)
  const watch = process.env.npm_lifecycle_event ? whenParentIsGone(() => child.kill('SIGTERM')) : undefined
  const exitCode = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearInterval(watch)
      for (const name of signals) process.off(name, handOn)
      resolve(code ?? 128 + constants.signals[signal])
    })
  })
  return { child, exitCode }
}

// One Ctrl-C arrives twice, from the terminal and from npm: what follows within a second is the same one.
function onceASecond(handle) {
  const last = new Map()
  return (signal) => {
    const now = performance.now()
    if (now - (last.get(signal) ?? Number.NEGATIVE_INFINITY) < 1000) return
    last.set(signal, now)
    handle(signal)
  }
}

// npm killed with -9 hands on no signal, it is just gone. (`exec` in package.json makes npm our parent, not a shell.)
function whenParentIsGone(handle) {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    handle()
  }, 500).unref()
  return timer
}
