// Installs by npm so that a person learns at once why it waits or fails. npm itself says nothing until it has given up.
import { basename } from 'node:path'
import { runChild } from './child.mjs'

const QUIET_MS = 15_000
/** npm waits up to 70 s between its attempts otherwise. */
const retries = ['--fetch-retry-mintimeout=2000', '--fetch-retry-maxtimeout=8000', '--fetch-timeout=60000']

/** Resolves to its exit code, whether a signal ended it, and the reason that it gave. Rejects if there is no npm. */
export async function runNpm(root, args) {
  const script = process.env.npm_execpath
  const [command, ...before] = basename(script ?? '') === 'npm-cli.js' ? [process.execPath, script] : ['npm']
  // At this level npm also names each attempt to reach its registry that fails.
  const options = [...args, '--loglevel=http', '--no-progress', ...retries]
  const { child, exitCode, wasSignalled } = runChild(command, [...before, ...options], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const progress = watchProgress()
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
    progress.hear(text)
  })
  try {
    const code = await exitCode
    return { code, isSignal: wasSignalled(), reason: reasonIn(stderr) }
  } finally {
    progress.end()
  }
}

function watchProgress() {
  let fetched = 0
  let isAway = false
  const say = () => {
    if (isAway) return
    const news = fetched === 0 ? 'npm has had no answer from its registry yet' : `${fetched} packages are here`
    process.stderr.write(`Still installing: ${news}\n`)
  }
  const timer = setInterval(say, QUIET_MS)
  return {
    hear(text) {
      fetched += text.match(/http fetch GET 200 \S+\.tgz/g)?.length ?? 0
      const [, url, code] = /http fetch GET (\S+) attempt \d+ failed with (\w+)/.exec(text) ?? []
      if (!code || isAway) return
      isAway = true
      process.stderr.write(
        `npm cannot reach ${URL.parse?.(url)?.origin ?? url} (${code}): it tries again, for some seconds\n`,
      )
    },
    end: () => clearInterval(timer),
  }
}

/** The first sentence among npm's errors: not its codes, and not the lines about requests. */
function reasonIn(stderr) {
  const lines = stderr.split('\n').filter((line) => !/^npm (http|warn|WARN) /.test(line))
  const texts = lines.map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim())
  return texts.find((text) => text && !/^(code|errno|syscall|path|type|network$) /.test(text)) ?? 'npm gave no reason'
}
