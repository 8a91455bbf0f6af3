import { readFileSync } from 'node:fs'

const TICKS_A_SECOND = 100

/** User and system time from /proc/PID/stat, in microseconds. The process name, before the fields, may contain spaces. */
export function cpuOfStat(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1e6) / TICKS_A_SECOND
}

/** Expands a CPU list such as `0-3,8`. */
export function readCpuList(list: string): number[] {
  return list
    .trim()
    .split(',')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [first = 0, last = first] = part.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, i) => first + i)
    })
}

function readProc(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** Null if there is no /proc. */
export function cpuMicroseconds(pid: number): number | null {
  const stat = readProc(`/proc/${pid}/stat`)
  return stat === null ? null : cpuOfStat(stat)
}

export function residentBytes(pid: number): number | null {
  const kilobytes = readProc(`/proc/${pid}/status`)?.match(/^VmRSS:\s+(\d+) kB/m)?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) * 1024
}

function allowedCpus(): number[] {
  const list = readProc('/proc/self/status')?.match(/^Cpus_allowed_list:\s*(\S+)/m)?.[1]
  return list === undefined ? [] : readCpuList(list)
}

const [serverCpu, loadCpu] = allowedCpus()
export const isPinned = Bun.which('taskset') !== null && serverCpu !== undefined && loadCpu !== undefined

/** Command prefixes that pin servers to one core and the load to another. */
export const onServerCore: readonly string[] = isPinned ? ['taskset', '-c', String(serverCpu)] : []
export const onLoadCore: readonly string[] = isPinned ? ['taskset', '-c', String(loadCpu)] : []

/** How long the main thread of a process has computed, in milliseconds. */
export const computedMs = (pid: number): number => Number(readProc(`/proc/${pid}/schedstat`)?.split(' ')[0] ?? 0) / 1e6
