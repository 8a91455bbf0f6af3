import type { Insertable, Selectable } from 'kysely'
import type { StoredTables } from './stored-tables.ts'

export interface Tables extends StoredTables {
  /** A view: devices that have voted and are not forgotten, with the times of their first and last vote. */
  guests: { device: Uint8Array; first_seen_at: number; last_seen_at: number }
}

type Row<Name extends keyof Tables> = Selectable<Tables[Name]>

export type AppRow = Row<'apps'>
export type CampaignRow = Row<'campaigns'>
export type FileRow = Row<'files'>
export type TicketRow = Row<'upload_tickets'>
export type NewPollRow = Insertable<Tables['polls']>

export type OptionName = Row<'votes'>['option']
