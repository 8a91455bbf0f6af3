import { readS3Url, type S3Place } from './s3-url.ts'
import type { SettingKind } from './setting-kinds.ts'

export const s3Place: SettingKind<S3Place> = {
  read(given, refuse) {
    const place = readS3Url(given)
    return typeof place === 'string' ? refuse(place) : place
  },
}

/** A folder, or a bucket. */
export type BackupPlace = { readonly folder: string } | { readonly s3: S3Place }

export const backupPlace: SettingKind<BackupPlace> = {
  read(given, refuse) {
    if (!/^[a-z][a-z0-9+.-]*:\/\//.test(given)) return { folder: given }
    const place = readS3Url(given)
    return typeof place === 'string' ? refuse(`${place}, or be the path of a folder`) : { s3: place }
  },
}
