import { PlainFailure } from '../../base/errors.ts'
import type { Config } from '../../config/config.ts'

type Ports = Pick<Config, 'port' | 'metricsPort'>

const HIGHEST = 65_535

/** Each worker has its own metrics: those of slot 0 at METRICS_PORT, and the others at the ports after it. */
export const metricsPortOf = ({ metricsPort }: Pick<Config, 'metricsPort'>, slot: number): number | null =>
  metricsPort === null ? null : metricsPort + slot

export function assertMetricsPorts({ port, metricsPort }: Ports, workers: number): void {
  if (metricsPort === null) return
  const last = metricsPort + workers - 1
  const ports = `${workers} workers have their metrics at the ports ${metricsPort} to ${last}`
  if (last > HIGHEST) throw new PlainFailure(`METRICS_PORT is too high: ${ports}, and ${HIGHEST} is the highest port.`)
  if (port >= metricsPort && port <= last) {
    throw new PlainFailure(`METRICS_PORT is too near to PORT ${port}: ${ports}. Set METRICS_PORT above PORT.`)
  }
}
