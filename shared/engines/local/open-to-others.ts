/** Whether other users of this machine may read or change a file of this mode. Windows has no such modes. */
export const isOpenToOthers = (mode: number): boolean => process.platform !== 'win32' && (mode & 0o077) !== 0;
