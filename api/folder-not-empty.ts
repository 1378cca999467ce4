/** The folder for an export holds files already. */
export class FolderNotEmpty extends Error {
  override name = 'FolderNotEmpty';

  constructor(folder: string) {
    super(`${folder} holds files already. Choose a new or an empty folder`);
  }
}
