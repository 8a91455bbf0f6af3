import { join } from 'node:path'
import { reasonOf } from '../../base/errors.ts'
import { createLog } from '../../base/log.ts'
import { type Config, localUrl, version } from '../../config/config.ts'
import { FINDINGS } from '../../features/operator/findings.ts'
import type { ServiceState } from '../../features/operator/service-state.ts'
import { openUnfinished } from '../../files/file-store.ts'
import { openS3 } from '../../files/s3.ts'
import { MemoryLimiter } from '../../http/limits/memory-limiter.ts'
import { RedisLimiter } from '../../http/limits/redis-limiter.ts'
import { type Finding, fault, listed, ok, warning } from './finding.ts'

const ANSWER_MS = 5_000

export async function examineBucket({ s3, dataDir }: Config): Promise<Finding[]> {
  if (!s3) return []
  try {
    await openS3(s3, openUnfinished(join(dataDir, 'uploads'), { isShared: true }))
    return [ok('S3', `a file was written, read and removed in ${s3.bucket}`)]
  } catch (error) {
    return [fault('S3', reasonOf(error), 'Check the address, the bucket and the permissions of the key.')]
  }
}

export async function examineRedis({ redisUrl }: Config): Promise<Finding[]> {
  if (redisUrl === null) return []
  const redis = new RedisLimiter({ url: redisUrl, log: createLog('silent'), fallback: new MemoryLimiter() })
  try {
    await redis.connect()
    return [ok('Redis', 'answers')]
  } catch (error) {
    return [
      fault('Redis', reasonOf(error), 'Start Redis or correct REDIS_URL: without it each server limits on its own.'),
    ]
  } finally {
    redis.close()
  }
}

/** Requests PUBLIC_URL like a browser: by its name, through the proxies, with their certificate. */
export async function examinePublicUrl({ publicUrl }: Config): Promise<Finding[]> {
  const part = 'PUBLIC_URL'
  const transport = FINDINGS.not_encrypted.isFound({ publicUrl }) ? [listed(part, 'not_encrypted')] : []
  try {
    const answer = await fetch(`${publicUrl}/readyz`, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) })
    const text = await answer.text()
    if (answer.status === 503 && text.includes('UNAVAILABLE')) {
      return [...transport, listed(part, 'votes_refused', { example: publicUrl })]
    }
    if (answer.status !== 200 || !text.includes('"status"')) {
      const found = `${publicUrl}/readyz answered ${answer.status}, which is not an answer of Tossup`
      return [...transport, fault(part, found, 'Check where the name points and what the proxy forwards.')]
    }
    return [...transport, ok(part, `${publicUrl} leads to a server that takes votes`)]
  } catch (error) {
    const advice = 'Start the server, or correct PUBLIC_URL, DNS, the proxy or its certificate.'
    return [...transport, fault(part, `${publicUrl} cannot be reached: ${reasonOf(error)}`, advice)]
  }
}

/** Facts that only the running server knows. */
type ServerStatus = { readonly version: string } & Pick<ServiceState, 'untrustedProxy' | 'openFiles'>

export async function examineServer({ host, metricsPort }: Config): Promise<Finding[]> {
  const part = 'server'
  if (metricsPort === null) {
    return [ok('proxies', 'unknown: set METRICS_PORT, and the running server says whether it trusts its proxies')]
  }
  try {
    const answer = await fetch(`${localUrl(host, metricsPort)}/status`, { signal: AbortSignal.timeout(ANSWER_MS) })
    const status = (await answer.json()) as ServerStatus
    return [
      status.version === version
        ? ok(part, `runs version ${status.version}`)
        : warning(
            part,
            `runs version ${status.version}, and this is ${version}`,
            'Restart the server after an upgrade.',
          ),
      proxiesOf(status),
      openFilesOf(status),
    ]
  } catch (error) {
    return [warning(part, `METRICS_PORT ${metricsPort} does not answer: ${reasonOf(error)}`, 'Start the server.')]
  }
}

function proxiesOf({ untrustedProxy }: ServerStatus): Finding {
  return FINDINGS.untrusted_proxy.isFound({ untrustedProxy })
    ? listed('proxies', 'untrusted_proxy', { values: { setting: untrustedProxy ?? '' } })
    : ok('proxies', 'no untrusted proxy was seen')
}

function openFilesOf({ openFiles }: ServerStatus): Finding {
  const part = 'open files of the server'
  const { open, limit } = openFiles
  if (limit === null || open === null) return ok(part, 'this system does not tell')
  return FINDINGS.open_files.isFound({ openFiles })
    ? listed(part, 'open_files', { values: { open, limit } })
    : ok(part, `${open} of ${limit}`)
}
