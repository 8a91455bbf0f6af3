import { AppError, internalError, unavailable } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Engine } from '../db/store.ts'

/** Whatever was thrown, as an error that may be shown. */
export function toAppError(error: unknown, engine: Engine, log: Log): AppError {
  if (error instanceof AppError) return error
  if (engine.isUnavailable(error) || engine.isBusy(error)) {
    log.error({ err: error }, 'the database did not answer')
    return unavailable(2)
  }
  log.error({ err: error }, 'a request failed')
  return internalError()
}

export const errorBody = ({ code, message, details }: AppError, requestId: string): string =>
  JSON.stringify({ error: { code, message, details, requestId } })
