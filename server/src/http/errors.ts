import { AppError, internalError, unavailable } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Engine } from '../db/store.ts'
import { StoreAway } from '../storage/file-store.ts'
import { TookTooLong } from './deadlines.ts'

interface Context {
  readonly engine: Engine
  readonly log: Log
  readonly requestId: string
}

/** Whatever was thrown, as an error that may be shown. */
export function toAppError(error: unknown, { engine, log, requestId }: Context): AppError {
  if (error instanceof AppError) return error
  if (engine.isUnavailable(error) || engine.isBusy(error)) {
    log.error({ err: error, requestId }, 'the database did not answer')
    return unavailable(2)
  }
  if (error instanceof StoreAway) {
    log.error({ err: error, requestId }, 'the file store did not answer')
    return unavailable(2)
  }
  if (error instanceof TookTooLong) {
    log.error({ err: error, requestId }, 'a request took too long')
    return unavailable(2)
  }
  log.error({ err: error, requestId }, 'a request failed')
  return internalError()
}

export const errorBody = ({ code, message, details }: AppError, requestId: string): string =>
  JSON.stringify({ error: { code, message, details, requestId } })
