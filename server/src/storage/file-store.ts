/** Keeps bytes under keys that are never reused, so that a file may be cached for ever. */
export interface FileStore {
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Null when there is no such file. */
  read(key: string): Promise<Blob | null>
}
