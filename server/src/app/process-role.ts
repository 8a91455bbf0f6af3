/** Roles of a process: `api` answers requests, `worker` runs background jobs, `all` does both. */
export const PROCESS_ROLES = ['all', 'api', 'worker'] as const

export type ProcessRole = (typeof PROCESS_ROLES)[number]
