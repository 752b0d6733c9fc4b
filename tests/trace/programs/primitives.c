/* Each way to wait, in a thread of that name; the main thread lets it go on a little later. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t semaphore;
static pthread_t sleeper;
static int ready, ends[2], pair[2];
static char bytes[200000];

static struct timespec soon(void)
{
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += 10000000;
    if (at.tv_nsec >= 1000000000)
        at.tv_nsec -= 1000000000, at.tv_sec++;
    return at;
}

static void lock(void) { pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }
static void hold(void) { pthread_mutex_lock(&mutex); }
static void wait_for(void)
{
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
}
static void signal_it(void)
{
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}
static void time_out(void)
{
    struct timespec at = soon();
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&condition, &mutex, &at);
    pthread_mutex_unlock(&mutex);
}
static void nothing(void) {}
static void take(void) { sem_wait(&semaphore); }
static void give(void) { sem_post(&semaphore); }
static void meet(void) { pthread_barrier_wait(&barrier); }
static void *sleeping(void *none) { usleep(50000); return none; }
static void start_sleeper(void) { pthread_create(&sleeper, NULL, sleeping, NULL); }
static void join(void) { pthread_join(sleeper, NULL); }
static void hold_table(void) { pthread_rwlock_wrlock(&table); }
static void read_table(void) { pthread_rwlock_rdlock(&table); pthread_rwlock_unlock(&table); }
static void write_table(void) { pthread_rwlock_wrlock(&table); pthread_rwlock_unlock(&table); }
static void leave_table(void) { pthread_rwlock_unlock(&table); }
static void hold_spin(void) { pthread_spin_lock(&spin); }
static void spin_once(void) { pthread_spin_lock(&spin); pthread_spin_unlock(&spin); }
static void leave_spin(void) { pthread_spin_unlock(&spin); }
static void doze(void) { usleep(20000); }
static void write_much(void) { (void)!write(ends[1], bytes, sizeof bytes); }
static void read_all(void) { for (long left = sizeof bytes; left > 0;) left -= read(ends[0], bytes, left); }
static void receive(void) { (void)!recv(pair[0], bytes, 3, 0); }
static void send_it(void) { (void)!send(pair[1], bytes, 3, 0); }

struct task { const char *name; void (*run)(void); };

static void *run(void *given)
{
    struct task *task = given;
    pthread_setname_np(pthread_self(), task->name);
    task->run();
    return NULL;
}

static void try_out(const char *name, void (*before)(void), void (*waits)(void), void (*releases)(void))
{
    struct task task = { name, waits };
    pthread_t thread;
    before();
    pthread_create(&thread, NULL, run, &task);
    usleep(30000);
    releases();
    pthread_join(thread, NULL);
}

int main(void)
{
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, 0);
    if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return 1;
    try_out("mutex", hold, lock, unlock);
    try_out("time-out", nothing, time_out, nothing);
    try_out("condition", nothing, wait_for, signal_it);
    try_out("semaphore", nothing, take, give);
    try_out("barrier", nothing, meet, meet);
    try_out("join", start_sleeper, join, nothing);
    try_out("reader", hold_table, read_table, leave_table);
    try_out("writer", hold_table, write_table, leave_table);
    try_out("spin", hold_spin, spin_once, leave_spin);
    try_out("sleep", nothing, doze, nothing);
    try_out("pipe", nothing, write_much, read_all);
    try_out("socket", nothing, receive, send_it);
    return 0;
}
