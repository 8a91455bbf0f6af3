import { AppError, internalError, unavailable } from '../../base/errors.ts'
import type { Engine } from '../../db/store.ts'
import { StoreAway } from '../../files/file-store.ts'
import { TookTooLong } from '../limits/deadlines.ts'

/** Converts any thrown value into an error that may be sent. The thrown value becomes its cause, for the log. */
export function toAppError(error: unknown, engine: Pick<Engine, 'isUnavailable' | 'isBusy'>): AppError {
  if (error instanceof AppError) return error
  if (engine.isUnavailable(error) || engine.isBusy(error)) return away('the database did not answer', error)
  if (error instanceof StoreAway) return away('the file store did not answer', error)
  if (error instanceof TookTooLong) return away('a request took too long', error)
  return internalError(error)
}

const away = (reason: string, cause: unknown): AppError => unavailable(2, { reason, cause })

export const errorBody = ({ code, message, details }: AppError, requestId: string): string =>
  JSON.stringify({ error: { code, message, details, requestId } })
