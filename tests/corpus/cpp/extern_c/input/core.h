#ifdef __cplusplus
extern "C" {
#endif
int core_run(int n);
#ifdef __cplusplus
}
#endif
