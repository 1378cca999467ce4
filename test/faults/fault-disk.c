/*
 * A disk with faults, for one process: preloaded by the dynamic linker (LD_PRELOAD), it stands between the program with all its
 * threads and the file system. It counts and logs the calls that touch one folder, and does one thing at one of them.
 *
 * STRAND_FAULTS_FOLDER  the folder, an absolute path
 * STRAND_FAULTS_LOG     the file that the log is appended to (`disk-log.ts` reads it)
 * STRAND_FAULTS_DATA    1: with the bytes of each write
 * STRAND_FAULTS_POINT   "OP KIND STACK N": the Nth call of this operation, kind of file and native call stack
 * STRAND_FAULTS_ACTION  what is done there, see `read_action`
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MAX_FDS 65536
#define MAX_PATH 512
#define MAX_COUNTERS 4096
#define MAX_FRAMES 32

/* The names in `disk-log.ts` have the same order. */
enum op { OP_OPEN, OP_CREATE, OP_WRITE, OP_TRUNCATE, OP_SYNC, OP_RENAME, OP_UNLINK, OP_MKDIR, OP_RMDIR, OP_READ, OP_COUNT };
static const char *op_names[OP_COUNT] = {"open", "create", "write", "truncate", "sync", "rename", "unlink", "mkdir", "rmdir", "read"};

enum action { NO_ACTION, KILL_BEFORE, KILL_AFTER, TEAR, FAIL_ONCE, FAIL_ON, STALL, CLOCK };

static char folder[MAX_PATH];
static size_t folder_length;
static int log_fd = -1;
static int logs_data;
static char point[MAX_PATH];
static enum action action;
static long action_value;
static int has_acted;
static int64_t clock_shift_ns;
static uintptr_t code_from, code_to, code_base;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/** What a descriptor of a file in the folder stands for. */
struct tracked {
  int is_tracked;
  dev_t device;
  ino_t inode;
  char path[MAX_PATH];
};
static struct tracked *files[MAX_FDS];

static struct { char key[MAX_PATH]; uint32_t count; } counters[MAX_COUNTERS];

/* The real functions. */
static int (*real_open)(const char *, int, ...);
static int (*real_openat)(int, const char *, int, ...);
static int (*real_close)(int);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_read)(int, void *, size_t);
static ssize_t (*real_pread)(int, void *, size_t, off_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_rename)(const char *, const char *);
static int (*real_unlink)(const char *);
static int (*real_unlinkat)(int, const char *, int);
static int (*real_mkdir)(const char *, mode_t);
static int (*real_rmdir)(const char *);
static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_gettimeofday)(struct timeval *, void *);

static int find_code(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  (void)data;
  code_base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    uintptr_t from = code_base + part->p_vaddr, to = from + part->p_memsz;
    if (code_from == 0 || from < code_from) code_from = from;
    if (to > code_to) code_to = to;
  }
  return 1; /* The first one is the program itself. */
}

/** `kill-before`, `kill-after`, `tear`: half of a write, then death; `fail ERRNO`, `fail-on ERRNO`: from then on, what needs
 * that resource fails; `stall MS`; `clock MS`: the machine's clock is set by so much. */
static void read_action(const char *text) {
  static const struct { const char *name; enum action action; } names[] = {
    {"kill-before", KILL_BEFORE}, {"kill-after", KILL_AFTER}, {"tear", TEAR}, {"fail", FAIL_ONCE},
    {"fail-on", FAIL_ON}, {"stall", STALL}, {"clock", CLOCK}};
  char name[32] = "";
  sscanf(text, "%31s %ld", name, &action_value);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i].name) == 0) action = names[i].action;
}

__attribute__((constructor)) static void begin(void) {
  real_open = dlsym(RTLD_NEXT, "open64");
  real_openat = dlsym(RTLD_NEXT, "openat64");
  real_close = dlsym(RTLD_NEXT, "close");
  real_write = dlsym(RTLD_NEXT, "write");
  real_writev = dlsym(RTLD_NEXT, "writev");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_read = dlsym(RTLD_NEXT, "read");
  real_pread = dlsym(RTLD_NEXT, "pread64");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_rename = dlsym(RTLD_NEXT, "rename");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  real_unlinkat = dlsym(RTLD_NEXT, "unlinkat");
  real_mkdir = dlsym(RTLD_NEXT, "mkdir");
  real_rmdir = dlsym(RTLD_NEXT, "rmdir");
  real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  real_gettimeofday = dlsym(RTLD_NEXT, "gettimeofday");
  const char *value = getenv("STRAND_FAULTS_FOLDER");
  if (!value || strlen(value) >= MAX_PATH) return;
  strcpy(folder, value);
  folder_length = strlen(folder);
  if ((value = getenv("STRAND_FAULTS_LOG"))) log_fd = real_open(value, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  logs_data = (value = getenv("STRAND_FAULTS_DATA")) && *value == '1';
  if ((value = getenv("STRAND_FAULTS_POINT"))) snprintf(point, sizeof point, "%s", value);
  if ((value = getenv("STRAND_FAULTS_ACTION"))) read_action(value);
  dl_iterate_phdr(find_code, NULL);
  void *frames[2];
  backtrace(frames, 2); /* Its first call loads a library. */
}

/** The path below the folder, "" for the folder itself; NULL for any other. */
static const char *inside(const char *path) {
  if (folder_length == 0 || strncmp(path, folder, folder_length) != 0) return NULL;
  if (path[folder_length] == 0) return "";
  if (path[folder_length] != '/') return NULL;
  for (path += folder_length; *path == '/'; path++);
  return path;
}

static int ends_with(const char *text, const char *end) {
  size_t length = strlen(text), n = strlen(end);
  return length >= n && strcmp(text + length - n, end) == 0;
}

/** What kind of file a path below the folder is: the names of WARC files and parts differ in each run. */
static const char *kind_of(const char *path) {
  if (*path == 0) return "folder";
  if (strcmp(path, "archive") == 0 || strcmp(path, "indexes") == 0 || strcmp(path, "ledgers") == 0) return path;
  if (strcmp(path, "tmp") == 0) return path;
  if (strncmp(path, "tmp/", 4) == 0) return "body";
  if (strncmp(path, "ledgers/", 8) == 0) return strchr(path + 8, '/') ? "part" : "host-ledgers";
  if (strncmp(path, "archive/", 8) == 0) return ends_with(path, ".open") ? "warc.open" : "warc";
  if (strncmp(path, "indexes/", 8) == 0) {
    if (strstr(path, ".cdxj.tmp-")) return "cdxj.tmp";
    return strstr(path, ".cdxj.run-") ? "cdxj.run" : "cdxj";
  }
  return path;
}

/** Of the program's own code that has led here, up to what V8 compiled: the addresses are the same in each run. */
static uint32_t stack_hash(void) {
  void *frames[MAX_FRAMES];
  int count = backtrace(frames, MAX_FRAMES);
  uint32_t hash = 2166136261u;
  int is_in_program = 0;
  for (int i = 0; i < count; i++) {
    uintptr_t at = (uintptr_t)frames[i];
    int is_own = at >= code_from && at < code_to;
    if (is_in_program && !is_own) break;
    if (!is_own) continue;
    is_in_program = 1;
    uint64_t offset = at - code_base;
    for (int byte = 0; byte < 8; byte++) hash = (hash ^ ((offset >> (8 * byte)) & 0xff)) * 16777619u;
  }
  return hash;
}

/** How often there was such a call, this one included. */
static uint32_t count_call(const char *key) {
  uint32_t hash = 2166136261u;
  for (const char *at = key; *at; at++) hash = (hash ^ (unsigned char)*at) * 16777619u;
  for (uint32_t i = 0; i < MAX_COUNTERS; i++) {
    uint32_t slot = (hash + i) % MAX_COUNTERS;
    if (counters[slot].count == 0) snprintf(counters[slot].key, sizeof counters[slot].key, "%s", key);
    if (strcmp(counters[slot].key, key) == 0) return ++counters[slot].count;
  }
  return 0;
}

struct record {
  uint32_t op, stack, ordinal, error;
  int64_t time_us, offset;
  uint64_t inode, length;
  uint32_t path_length, other_length, kind_length, data_length, has_fault, unused;
};

static int64_t now_us(void) {
  struct timespec time;
  real_clock_gettime(CLOCK_REALTIME, &time);
  return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void log_call(struct record record, const char *path, const char *other, const struct iovec *data, int count) {
  if (log_fd < 0) return;
  record.path_length = strlen(path);
  record.other_length = other ? strlen(other) : 0;
  record.time_us = now_us();
  const char *kind = kind_of(path);
  record.kind_length = strlen(kind);
  struct iovec pieces[4 + 64] = {{&record, sizeof record}, {(void *)path, record.path_length},
    {(void *)other, record.other_length}, {(void *)kind, record.kind_length}};
  int n = 4;
  uint64_t left = logs_data && record.op == OP_WRITE ? record.length : 0;
  record.data_length = left;
  for (int i = 0; i < count && i < 64 && left > 0; i++) {
    size_t length = data[i].iov_len < left ? data[i].iov_len : left;
    pieces[n++] = (struct iovec){data[i].iov_base, length};
    left -= length;
  }
  if (real_writev(log_fd, pieces, n) < 0) abort();
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/** Whether a call of this kind fails too once the resource is gone. */
static int needs_resource(enum op op, int extends) {
  switch (action_value) {
    case ENOSPC: return op == OP_CREATE || op == OP_MKDIR || ((op == OP_WRITE || op == OP_TRUNCATE) && extends);
    case EMFILE: return op == OP_OPEN || op == OP_CREATE;
    default: return 1;
  }
}

/** A call under way. */
struct call {
  struct record record;
  char path[MAX_PATH];
  /** What the call must fail with; 0: nothing. */
  int error;
  int is_torn, dies_after, has_acted_here;
};

/** Holds the mutex from here until `end_call`: the log has the calls in the order in which they took effect. */
static void begin_call(struct call *call, enum op op, const char *path, int extends) {
  uint32_t stack = stack_hash();
  const char *kind = kind_of(path);
  char key[MAX_PATH];
  pthread_mutex_lock(&mutex);
  memset(call, 0, sizeof *call);
  snprintf(call->path, sizeof call->path, "%s", path);
  call->record.op = op;
  call->record.stack = stack;
  snprintf(key, sizeof key, "%s %s %08x", op_names[op], kind, stack);
  call->record.ordinal = count_call(key);
  if (action == NO_ACTION) return;
  size_t length = strlen(key);
  int is_here = !has_acted && strncmp(point, key, length) == 0 && point[length] == ' ' &&
                (uint32_t)atoi(point + length + 1) == call->record.ordinal;
  if (has_acted && action == FAIL_ON && needs_resource(op, extends)) call->error = action_value;
  if (!is_here) return;
  has_acted = 1;
  call->has_acted_here = 1;
  call->record.has_fault = 1;
  switch (action) {
    case KILL_BEFORE: call->record.error = ECANCELED; log_call(call->record, path, NULL, NULL, 0); die(); break;
    case KILL_AFTER: call->dies_after = 1; break;
    case TEAR: call->is_torn = call->dies_after = 1; break;
    case FAIL_ONCE: case FAIL_ON: call->error = action_value; break;
    case STALL: {
      struct timespec time = {action_value / 1000, action_value % 1000 * 1000000};
      nanosleep(&time, NULL);
      break;
    }
    case CLOCK: __atomic_store_n(&clock_shift_ns, (int64_t)action_value * 1000000, __ATOMIC_RELAXED); break;
    default: break;
  }
}

/** `result`: of the call; below 0: it failed. */
static void end_call(struct call *call, int64_t result, const char *other, const struct iovec *data, int count) {
  int error = errno;
  if (result < 0) call->record.error = error;
  if (call->record.op == OP_WRITE && result >= 0) call->record.length = result;
  log_call(call->record, call->path, other, data, count);
  if (call->dies_after) die();
  pthread_mutex_unlock(&mutex);
  errno = error;
}

static void track(int fd, const char *path) {
  struct stat found;
  if (fd < 0 || fd >= MAX_FDS || fstat(fd, &found) != 0) return;
  if (!files[fd]) files[fd] = calloc(1, sizeof **files);
  struct tracked *file = files[fd];
  *file = (struct tracked){1, found.st_dev, found.st_ino, ""};
  snprintf(file->path, sizeof file->path, "%s", path);
}

/** What the descriptor stands for, if that is a file in the folder. It may have been closed in a way that is not seen here. */
static struct tracked *tracked_of(int fd) {
  if (folder_length == 0 || fd < 0 || fd >= MAX_FDS || !files[fd] || !files[fd]->is_tracked) return NULL;
  struct stat found;
  if (fstat(fd, &found) == 0 && found.st_dev == files[fd]->device && found.st_ino == files[fd]->inode) return files[fd];
  files[fd]->is_tracked = 0;
  return NULL;
}

static ino_t inode_of(int fd) { return files[fd]->inode; }

static int open_in_folder(const char *full, const char *path, int flags, mode_t mode) {
  struct stat found;
  struct call call;
  int is_new = (flags & O_CREAT) && lstat(full, &found) != 0;
  begin_call(&call, is_new ? OP_CREATE : OP_OPEN, path, 1);
  int fd = -1;
  if (call.error) errno = call.error;
  else fd = real_open(full, flags, mode);
  if (fd >= 0) {
    track(fd, path);
    call.record.inode = inode_of(fd);
    call.record.length = !is_new && (flags & O_TRUNC) ? 1 : 0;
  }
  end_call(&call, fd, NULL, NULL, 0);
  return fd;
}

static int open_any(const char *full, int flags, mode_t mode) {
  const char *path = inside(full);
  return path ? open_in_folder(full, path, flags, mode) : real_open(full, flags, mode);
}

#define MODE_OF(flags, last)                      \
  mode_t mode = 0;                                \
  if ((flags) & (O_CREAT | __O_TMPFILE)) {        \
    va_list list;                                 \
    va_start(list, last);                         \
    mode = va_arg(list, mode_t);                  \
    va_end(list);                                 \
  }

int open(const char *path, int flags, ...) { MODE_OF(flags, flags) return open_any(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE_OF(flags, flags) return open_any(path, flags, mode); }
int openat(int at, const char *path, int flags, ...) {
  MODE_OF(flags, flags)
  return inside(path) ? open_any(path, flags, mode) : real_openat(at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) {
  MODE_OF(flags, flags)
  return inside(path) ? open_any(path, flags, mode) : real_openat(at, path, flags, mode);
}

int close(int fd) {
  if (fd >= 0 && fd < MAX_FDS && files[fd]) files[fd]->is_tracked = 0;
  return real_close(fd);
}

static ssize_t write_in_folder(int fd, const struct iovec *data, int count, off_t offset) {
  struct tracked *file = files[fd];
  struct stat found;
  struct call call;
  size_t length = 0;
  for (int i = 0; i < count; i++) length += data[i].iov_len;
  fstat(fd, &found);
  int is_appended = offset < 0;
  if (is_appended) offset = fcntl(fd, F_GETFL) & O_APPEND ? found.st_size : lseek(fd, 0, SEEK_CUR);
  begin_call(&call, OP_WRITE, file->path, offset + (off_t)length > found.st_size);
  call.record.inode = file->inode;
  call.record.offset = offset;
  call.record.length = length;
  ssize_t written = -1;
  if (call.error) errno = call.error;
  else if (call.is_torn && length > 1) {
    /* Sectors are written whole. */
    size_t part = length / 2 >= 512 ? length / 2 / 512 * 512 : length / 2;
    written = real_pwrite(fd, data[0].iov_base, part < data[0].iov_len ? part : data[0].iov_len, offset);
  } else if (is_appended) written = count == 1 ? real_write(fd, data[0].iov_base, length) : real_writev(fd, data, count);
  else written = real_pwrite(fd, data[0].iov_base, length, offset);
  end_call(&call, written, NULL, data, count);
  return written;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  if (!tracked_of(fd)) return real_write(fd, bytes, length);
  struct iovec data = {(void *)bytes, length};
  return write_in_folder(fd, &data, 1, -1);
}
ssize_t writev(int fd, const struct iovec *data, int count) {
  return tracked_of(fd) ? write_in_folder(fd, data, count, -1) : real_writev(fd, data, count);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  if (!tracked_of(fd)) return real_pwrite(fd, bytes, length, offset);
  struct iovec data = {(void *)bytes, length};
  return write_in_folder(fd, &data, 1, offset);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

/** Reads are counted and may fail, and are not logged with their bytes. */
static int begin_read(int fd, struct call *call) {
  if (!tracked_of(fd)) return 0;
  begin_call(call, OP_READ, files[fd]->path, 0);
  call->record.inode = files[fd]->inode;
  return 1;
}
ssize_t read(int fd, void *bytes, size_t length) {
  struct call call;
  if (!begin_read(fd, &call)) return real_read(fd, bytes, length);
  ssize_t n = -1;
  if (call.error) errno = call.error;
  else n = real_read(fd, bytes, length);
  end_call(&call, n, NULL, NULL, 0);
  return n;
}
ssize_t pread64(int fd, void *bytes, size_t length, off64_t offset) {
  struct call call;
  if (!begin_read(fd, &call)) return real_pread(fd, bytes, length, offset);
  ssize_t n = -1;
  if (call.error) errno = call.error;
  else n = real_pread(fd, bytes, length, offset);
  end_call(&call, n, NULL, NULL, 0);
  return n;
}
ssize_t pread(int fd, void *bytes, size_t length, off_t offset) { return pread64(fd, bytes, length, offset); }

int ftruncate64(int fd, off64_t length) {
  struct tracked *file = tracked_of(fd);
  if (!file) return real_ftruncate(fd, length);
  struct call call;
  struct stat found;
  fstat(fd, &found);
  begin_call(&call, OP_TRUNCATE, file->path, length > found.st_size);
  call.record.inode = file->inode;
  call.record.length = length;
  int result = -1;
  if (call.error) errno = call.error;
  else result = real_ftruncate(fd, length);
  end_call(&call, result, NULL, NULL, 0);
  return result;
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static int sync_with(int (*real)(int), int fd) {
  struct tracked *file = tracked_of(fd);
  if (!file) return real(fd);
  struct call call;
  begin_call(&call, OP_SYNC, file->path, 0);
  call.record.inode = file->inode;
  int result = -1;
  if (call.error) errno = call.error;
  else result = 0; /* No test takes the power away from the machine: the log is what counts. */
  end_call(&call, result, NULL, NULL, 0);
  return result;
}
int fsync(int fd) { return sync_with(real_fsync, fd); }
int fdatasync(int fd) { return sync_with(real_fdatasync, fd); }

int rename(const char *from, const char *to) {
  const char *path = inside(from), *other = inside(to);
  if (!path || !other) return real_rename(from, to);
  struct call call;
  begin_call(&call, OP_RENAME, path, 0);
  int result = -1;
  if (call.error) errno = call.error;
  else result = real_rename(from, to);
  end_call(&call, result, other, NULL, 0);
  return result;
}

#define ONE_PATH(op, full, real)              \
  const char *path = inside(full);            \
  if (!path) return real;                     \
  struct call call;                           \
  begin_call(&call, op, path, 0);             \
  int result = -1;                            \
  if (call.error) errno = call.error;         \
  else result = real;                         \
  end_call(&call, result, NULL, NULL, 0);     \
  return result;

int unlink(const char *full) { ONE_PATH(OP_UNLINK, full, real_unlink(full)) }
int unlinkat(int at, const char *full, int flags) {
  ONE_PATH(flags & AT_REMOVEDIR ? OP_RMDIR : OP_UNLINK, full, real_unlinkat(at, full, flags))
}
int mkdir(const char *full, mode_t mode) { ONE_PATH(OP_MKDIR, full, real_mkdir(full, mode)) }
int rmdir(const char *full) { ONE_PATH(OP_RMDIR, full, real_rmdir(full)) }

int clock_gettime(clockid_t id, struct timespec *time) {
  int result = real_clock_gettime(id, time);
  int64_t shift = __atomic_load_n(&clock_shift_ns, __ATOMIC_RELAXED);
  if (result != 0 || shift == 0 || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE)) return result;
  int64_t ns = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec + shift;
  *time = (struct timespec){ns / 1000000000, ns % 1000000000};
  return 0;
}
int gettimeofday(struct timeval *time, void *zone) {
  int result = real_gettimeofday(time, zone);
  int64_t shift = __atomic_load_n(&clock_shift_ns, __ATOMIC_RELAXED);
  if (result != 0 || shift == 0) return result;
  int64_t us = (int64_t)time->tv_sec * 1000000 + time->tv_usec + shift / 1000;
  *time = (struct timeval){us / 1000000, us % 1000000};
  return 0;
}
