export type Signal = 'traces' | 'metrics'

/** Spans, and exports of metrics. */
export interface TelemetryCounts {
  readonly exported: Record<Signal, number>
  readonly dropped: Record<Signal, number>
}

export const noTelemetry = (): TelemetryCounts => ({
  exported: { traces: 0, metrics: 0 },
  dropped: { traces: 0, metrics: 0 },
})
