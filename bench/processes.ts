import { readFileSync } from 'node:fs'

const TICKS_A_SECOND = 100

/** User and system time from /proc/PID/stat, in microseconds. */
export const cpuOfStat = (stat: string): number => microsecondsAt(stat, 11)

/** The same of the children that have ended and were waited for, with theirs. */
export const cpuOfEndedChildren = (stat: string): number => microsecondsAt(stat, 13)

/** Two fields that follow each other. The process name, before the fields, may contain spaces. */
function microsecondsAt(stat: string, at: number): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[at]) + Number(fields[at + 1])) * 1e6) / TICKS_A_SECOND
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

export function mainThreadMicroseconds(pid: number): number | null {
  const stat = readProc(`/proc/${pid}/task/${pid}/stat`)
  return stat === null ? null : cpuOfStat(stat)
}

/** User and system time of processes and of the children that they have or had, in microseconds. */
export const treeMicroseconds = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + ownAndEnded(pid) + treeMicroseconds(childrenOf(pid)), 0)

const childrenOf = (pid: number): number[] =>
  (readProc(`/proc/${pid}/task/${pid}/children`) ?? '').split(' ').filter(Boolean).map(Number)

function ownAndEnded(pid: number): number {
  const stat = readProc(`/proc/${pid}/stat`)
  return stat === null ? 0 : cpuOfStat(stat) + cpuOfEndedChildren(stat)
}

/** Time of the main thread of a process, in nanoseconds: on a core, and waiting for one that others use. */
export interface CoreTime {
  readonly running: number
  readonly waiting: number
}

/** From /proc/PID/schedstat. */
export function coreTimeOfSchedstat(schedstat: string): CoreTime {
  const [running = 0, waiting = 0] = schedstat.split(' ').map(Number)
  return { running, waiting }
}

/** Null where the kernel does not say. */
export function coreTime(pid: number): CoreTime | null {
  const schedstat = readProc(`/proc/${pid}/schedstat`)
  return schedstat === null ? null : coreTimeOfSchedstat(schedstat)
}

/** The part of the time between two moments in which a thread that wanted a core had one. 1 where nobody says. */
export function shareOfCore(before: CoreTime | null, after: CoreTime | null): number {
  if (!before || !after) return 1
  const running = after.running - before.running
  const wanted = running + after.waiting - before.waiting
  return wanted > 0 ? running / wanted : 1
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
