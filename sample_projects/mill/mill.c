/* The mill in C: the same threads, which wait for each other in the same ways. How to build and record it: README.md. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { SACKS = 14, MILLERS = 3, CARTS = 3, ROUNDS = 14, OVENS = 3, LOAVES = 15, PAGE = 1 << 16 };

/* What takes time: by the clock, so that shares of it are the same on a busy machine. */

static volatile double total;

static void work(double ms)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        for (int i = 0; i < 1000; i++)
            total += i;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1e3 + (now.tv_nsec - begin.tv_nsec) / 1e6 < ms);
}

/* A queue of numbers. */

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    int items[64], first, last;
};
#define QUEUE { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, { 0 }, 0, 0 }

static int get(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->first == queue->last)
        pthread_cond_wait(&queue->filled, &queue->lock);
    int item = queue->items[queue->first++];
    pthread_mutex_unlock(&queue->lock);
    return item;
}

static void put(struct queue *queue, int item)
{
    pthread_mutex_lock(&queue->lock);
    queue->items[queue->last++] = item;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

/* A farmer brings sacks, far too slowly for three millers; an inspector keeps the scales; a compressor idles. */

static struct queue yard = QUEUE;
static pthread_mutex_t scales = PTHREAD_MUTEX_INITIALIZER;
static sem_t asked, inspected, needed;

static void drive(void) { usleep(80000); }
static void calibrate(void) { work(100); }
static void grind(void) { work(8); }
static void compress(void) { work(6); }

static void weigh(void)
{
    pthread_mutex_lock(&scales);
    work(1);
    pthread_mutex_unlock(&scales);
}

static void *farmer(void *nothing)
{
    for (int sack = 1; sack <= SACKS; sack++) {
        drive();
        if (sack == SACKS - 4) {
            sem_post(&asked);
            usleep(20000);
        }
        put(&yard, sack);
        if (sack == SACKS - 4)
            sem_wait(&inspected);
    }
    for (int miller = 0; miller < MILLERS; miller++)
        put(&yard, 0);
    return nothing;
}

static void *inspector(void *nothing)
{
    sem_wait(&asked);
    pthread_mutex_lock(&scales);
    calibrate();
    pthread_mutex_unlock(&scales);
    sem_post(&inspected);
    return nothing;
}

static void *miller(void *nothing)
{
    for (int sack; (sack = get(&yard)) != 0;) {
        weigh();
        grind();
        if (sack % 6 == 1)
            sem_post(&needed);
    }
    return nothing;
}

static void *compressor(void *over)
{
    for (;;) {
        sem_wait(&needed);
        if (*(volatile int *)over)
            return NULL;
        compress();
    }
}

/* Three carts and one gate. */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void drive_through(void)
{
    pthread_mutex_lock(&gate);
    work(7);
    pthread_mutex_unlock(&gate);
}

static void *cart(void *nothing)
{
    for (int round = 0; round < ROUNDS; round++) {
        drive_through();
        work(1);
    }
    return nothing;
}

/* A monitor that nobody rings, and a vane that polls. */

static struct queue alarm_bell = QUEUE;

static void *monitor(void *nothing)
{
    get(&alarm_bell);
    return nothing;
}

static void look(void) { work(1); }
static void pause_for(int ms) { usleep(ms * 1000); }

static void *vane(void *nothing)
{
    for (int looks = 0;; looks++) {
        look();
        pause_for(looks < 25 ? 20 : 100);
    }
    return nothing;
}

/* A baker and three ovens, each with a tray of its own. */

static struct queue trays[OVENS] = { QUEUE, QUEUE, QUEUE };

static void bake(void) { work(8); }

static void *oven(void *tray)
{
    while (get(tray))
        bake();
    return NULL;
}

static void *baker(void *nothing)
{
    for (int loaf = 0; loaf < LOAVES; loaf++) {
        usleep(70000);
        put(&trays[loaf % OVENS], 1);
    }
    for (int each = 0; each < OVENS; each++)
        put(&trays[each], 0);
    return nothing;
}

/* The ledger: the main thread writes it, a clerk copies it. */

static int ends[2];

static void *clerk(void *page)
{
    while (read(ends[0], page, PAGE) > 0)
        usleep(12000);
    return NULL;
}

static void write_pages(const char *pages) { (void)!write(ends[1], pages, 8 * PAGE); }

static void write_day(void)
{
    char *pages = calloc(8, PAGE);
    for (int part = 0; part < 3; part++)
        write_pages(pages);
    close(ends[1]);
    free(pages);
}

static pthread_t start(const char *name, void *(*run)(void *), void *given)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, given);
    pthread_setname_np(thread, name);
    return thread;
}

int main(void)
{
    static volatile int over;
    static char page[PAGE];
    pthread_t others[2], rest[16];
    int count = 0;
    sem_init(&asked, 0, 0);
    sem_init(&inspected, 0, 0);
    sem_init(&needed, 0, 0);
    if (pipe(ends))
        return 1;
    start("monitor", monitor, NULL);
    start("vane", vane, NULL);
    others[0] = start("compressor", compressor, (void *)&over);
    others[1] = start("clerk", clerk, page);
    for (int each = 0; each < MILLERS; each++)
        rest[count++] = start((const char *[]){ "miller 1", "miller 2", "miller 3" }[each], miller, NULL);
    rest[count++] = start("farmer", farmer, NULL);
    rest[count++] = start("inspector", inspector, NULL);
    for (int each = 0; each < CARTS; each++)
        rest[count++] = start((const char *[]){ "cart 1", "cart 2", "cart 3" }[each], cart, NULL);
    for (int each = 0; each < OVENS; each++)
        rest[count++] = start((const char *[]){ "oven 1", "oven 2", "oven 3" }[each], oven, &trays[each]);
    rest[count++] = start("baker", baker, NULL);
    write_day();
    for (int each = 0; each < count; each++)
        pthread_join(rest[each], NULL);
    over = 1;
    sem_post(&needed);
    for (int each = 0; each < 2; each++)
        pthread_join(others[each], NULL);
    return 0;
}
