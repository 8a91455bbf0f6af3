/** Where browsers load the files of the console. */
export const ASSETS_PATH = '/console/assets/'
