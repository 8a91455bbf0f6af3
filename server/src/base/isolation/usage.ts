import { readFile } from 'node:fs/promises'

/** Usage of a process with all its threads, since its start. */
export interface Usage {
  readonly cpuMs: number
  readonly memoryBytes: number
}

/** The kernel shows times in hundredths of a second, on every architecture. */
const TICK_MS = 10
/** Field indexes in /proc/PID/stat, counted from the state, which follows the name. */
const [USER_TIME, SYSTEM_TIME] = [11, 12]

/** Null if unknown: the process is gone, or the platform has neither /proc nor ps. */
export async function usageOf(pid: number): Promise<Usage | null> {
  try {
    return process.platform === 'linux' ? await fromProc(pid) : await fromPs(pid)
  } catch {
    return null
  }
}

async function fromProc(pid: number): Promise<Usage> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ])
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])
  return { cpuMs: ticks * TICK_MS, memoryBytes: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024 }
}

async function fromPs(pid: number): Promise<Usage | null> {
  const ps = Bun.spawn(['ps', '-o', 'rss=,time=', '-p', String(pid)], { stdin: 'ignore', stderr: 'ignore' })
  return parsePs(await ps.stdout.text())
}

/** `  28172   0:01.25`: kilobytes, then [[days-]hours:]minutes:seconds with or without a fraction. */
export function parsePs(line: string): Usage | null {
  const [, memory, days = '0', time] = /^\s*(\d+)\s+(?:(\d+)-)?([\d:.]+)\s*$/.exec(line) ?? []
  if (!memory || !time) return null
  const seconds = time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400
  return { cpuMs: Math.round(seconds * 1_000), memoryBytes: Number(memory) * 1024 }
}
